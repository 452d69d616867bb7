# shellcheck shell=bash
# What the work needs on this machine. As root on Debian or Ubuntu it is installed; otherwise it is named, exit 2.

say() { printf '%s\n' "$*" >&2; }
die() { say "dev: $1"; exit "${2:-1}"; }
has() { command -v "$1" >/dev/null 2>&1; }

# PostgreSQL's programs are outside PATH on Debian, and so is /usr/sbin for people.
find_servers() {
  local newest
  newest=$(find /usr/lib/postgresql/*/bin -maxdepth 0 2>/dev/null | sort -V | tail -n 1) || true
  PATH="$PATH:/usr/sbin${newest:+:$newest}"
}

# need_packages COMMAND=PACKAGE[,PACKAGE]…: each package whose command is not there.
need_packages() {
  local pair missing=()
  for pair in "$@"; do
    has "${pair%%=*}" || missing+=("${pair#*=}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  IFS=' ,' read -ra missing <<<"${missing[*]}"
  if [ "$(id -u)" != 0 ] || ! has apt-get; then
    die "install what is missing, then run this again: sudo apt-get install -y ${missing[*]}" 2
  fi
  say "dev: installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "${missing[@]}"; } >&2 ||
    die "apt-get could not install ${missing[*]}" 2
}

need_rust() {
  has cargo || die "Rust is missing; install it from https://rustup.rs, then run this again" 2
  need_packages cc=gcc,libc6-dev
}

need_lints() {
  need_rust
  if cargo fmt --version && cargo clippy --version; then return; fi >/dev/null 2>&1
  rustup component add rustfmt clippy || die "rustfmt and clippy are missing, and rustup could not add them" 2
}

need_services() {
  find_servers
  [ -z "${ONCEWARD_TEST_POSTGRES:-}" ] || return 0
  need_packages initdb=postgresql pgbouncer=pgbouncer
  find_servers
}

# Test scripts name what they need in tests/*/needs, one COMMAND=PACKAGE a line.
need_tests() {
  local pairs
  need_rust
  need_services
  mapfile -t pairs < <(cat tests/*/needs 2>/dev/null)
  need_packages "${pairs[@]}" newsboat=newsboat
  ! has apt-get || need_packages update-ca-certificates=ca-certificates
  has cargo-nextest || cargo install --locked cargo-nextest || die "cargo-nextest could not be installed" 2
}
