# shellcheck shell=bash
# What the producers of examples/outbox are run with: an environment of Python and a folder of Node's packages. Each is
# installed once and kept in this user's cache.

# need_producers: installs what is missing, and exports ONCEWARD_TEST_PYTHON, an interpreter, and ONCEWARD_TEST_NODE, a
# folder with node_modules.
need_producers() {
  [ -n "${ONCEWARD_TEST_PYTHON:-}" ] || need_producer python requirements.txt python3=python3
  [ -n "${ONCEWARD_TEST_NODE:-}" ] ||
    need_producer node package.json node=nodejs npm=npm python3=python3 make=make c++=g++
  export ONCEWARD_TEST_PYTHON=${ONCEWARD_TEST_PYTHON:-$(producer_home python)/bin/python}
  export ONCEWARD_TEST_NODE=${ONCEWARD_TEST_NODE:-$(producer_home node)}
}

# use_producers: the same, only what is installed. Tests that need it say so.
use_producers() {
  ! is_same python requirements.txt || export ONCEWARD_TEST_PYTHON="${ONCEWARD_TEST_PYTHON:-$(producer_home python)/bin/python}"
  ! is_same node package.json || export ONCEWARD_TEST_NODE="${ONCEWARD_TEST_NODE:-$(producer_home node)}"
}

producer_home() { printf '%s/onceward/producers/%s' "${XDG_CACHE_HOME:-$HOME/.cache}" "$1"; }

# The list that was installed is kept beside it, and written last.
is_same() { cmp -s "examples/outbox/$1/$2" "$(producer_home "$1")/installed"; }

# need_producer LANGUAGE LIST COMMAND=PACKAGE…
need_producer() {
  local language=$1 list=$PWD/examples/outbox/$1/$2 home
  home=$(producer_home "$1")
  ! is_same "$1" "$2" || return 0
  need_packages "${@:3}"
  # Debian has this part of Python in a package of its own, and no command by which to see it.
  [ "$language" != python ] || python3 -c 'import ensurepip' 2>/dev/null || need_packages no-such-command=python3-venv
  say "dev: installing what $list names into $home (once)"
  mkdir -p "$home"
  (cd "$home" && install_locked "$language" "$list") ||
    die "the packages of examples/outbox/$language could not be installed; the log is $home/install.log" 2
}

# Two runs may come here at once; the second finds the work done.
install_locked() {
  ! has flock || { exec 9>lock && flock 9; }
  ! cmp -s "$2" installed || return 0
  "install_$1" "$2" >install.log 2>&1 && cp "$2" installed
}

install_python() {
  python3 -m venv . && bin/python -m pip install -q -r "$1" && bin/python -c 'import psycopg'
}

# npm may leave the compiling out and only warn.
install_node() {
  cp "$1" package.json && npm install --no-audit --no-fund && node -e 'require("better-sqlite3"); require("pg")'
}
