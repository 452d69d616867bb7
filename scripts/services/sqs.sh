# shellcheck shell=bash
# A stand-in for SQS, from PyPI: moto. It is installed once into this user's cache, and runs on a free port of loopback.

MOTO='moto[server]==5.2.5'

# need_sqs: installs it if it is missing, starts it, and exports ONCEWARD_TEST_SQS, where it answers.
need_sqs() {
  [ -z "${ONCEWARD_TEST_SQS:-}" ] || return 0
  local home
  home=$(moto_home)
  if ! has_moto "$home"; then
    has python3 && python3 -c 'import ensurepip, venv' 2>/dev/null ||
      need_packages "python3 -m venv=python3,python3-venv"
    say "dev: installing $MOTO into $home (once)"
    mkdir -p "$home"
    (cd "$home" && install_moto) || die "pip could not install $MOTO; its log is $home/install.log" 2
  fi
  start_sqs "$home"
}

# use_sqs: the same, only if it is installed. Tests that need it say so.
use_sqs() { ! has_moto "$(moto_home)" || need_sqs; }

moto_home() { printf '%s/onceward/moto' "${XDG_CACHE_HOME:-$HOME/.cache}"; }

# The marker names what was installed, and is written last.
has_moto() { [ "$(cat "$1/installed" 2>/dev/null)" = "$MOTO" ]; }

# Two runs may come here at once; the second finds the work done.
install_moto() {
  ! has flock || { exec 9>lock && flock 9; }
  ! has_moto . || return 0
  { python3 -m venv venv && venv/bin/pip install --disable-pip-version-check --no-compile "$MOTO"; } >install.log 2>&1 || return 1
  echo "$MOTO" >installed
}

start_sqs() {
  local port
  port=$(free_port)
  broker_folder
  # Its user can read this user's cache; what it keeps is in memory.
  setpriv_moto "$1" "$port"
  await_broker sqs "$port"
  export ONCEWARD_TEST_SQS=http://127.0.0.1:$port
  # It takes any; without them, clients ask the machine that they run on.
  export AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any AWS_EC2_METADATA_DISABLED=true
}

setpriv_moto() {
  local program=$PWD/scripts/services/sqs-stand-in.py
  (cd "$brokers_home" && exec setpriv --pdeathsig TERM "$1/venv/bin/python" "$program" -H 127.0.0.1 -p "$2") \
    </dev/null >"$brokers_home/sqs.log" 2>&1 &
  services+=("TERM $!")
}
