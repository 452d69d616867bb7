# shellcheck shell=bash
# The reference server of the AT Protocol, which Bluesky runs, from npm. It is installed once and kept in this user's
# cache; a test starts one of its own on free ports (crates/onceward-cli/tests/bluesky/server.js) when it needs one.

# The newest that runs on Node 18 and later, and a directory of accounts that lives in memory.
PDS_PACKAGES=(@atproto/pds@0.4.217 @did-plc/server@0.0.1)

# need_pds: installs it if it is missing, and exports ONCEWARD_TEST_PDS, the folder that it is in.
need_pds() {
  [ -z "${ONCEWARD_TEST_PDS:-}" ] || return 0
  local home
  home=$(pds_home)
  if ! is_installed "$home"; then
    # One of its modules is compiled here.
    need_packages node=nodejs npm=npm python3=python3 make=make c++=g++
    say "dev: installing ${PDS_PACKAGES[*]} into $home (once; some minutes)"
    mkdir -p "$home"
    (cd "$home" && install_pds) || die "npm could not install ${PDS_PACKAGES[*]}; its log is $home/install.log" 2
  fi
  export ONCEWARD_TEST_PDS=$home
}

# use_pds: the same, only if it is installed. Tests that need it say so.
use_pds() { ! is_installed "$(pds_home)" || need_pds; }

pds_home() { printf '%s/onceward/pds' "${XDG_CACHE_HOME:-$HOME/.cache}"; }

# The marker names what was installed, and is written last.
is_installed() { [ "$(cat "$1/installed" 2>/dev/null)" = "${PDS_PACKAGES[*]}" ]; }

# Two runs may come here at once; the second finds the work done.
install_pds() {
  ! has flock || { exec 9>lock && flock 9; }
  ! is_installed . || return 0
  [ -e package.json ] || echo '{ "private": true }' >package.json
  npm install --no-audit --no-fund --save-exact "${PDS_PACKAGES[@]}" >install.log 2>&1 || return 1
  # npm may leave the compiling out and only warn.
  node -e 'require("better-sqlite3")' >>install.log 2>&1 || return 1
  echo "${PDS_PACKAGES[*]}" >installed
}
