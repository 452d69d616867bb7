# shellcheck shell=bash
# A PostgreSQL and a PgBouncer of this run alone: one private folder, Unix sockets, no TCP port.
# Any number of runs may go on at once, and what already runs on the machine is never touched.

services_home=
services=()

# start_services: exports ONCEWARD_TEST_POSTGRES and ONCEWARD_TEST_PGBOUNCER, unless the caller named both.
start_services() {
  if [ -n "${ONCEWARD_TEST_POSTGRES:-}${ONCEWARD_TEST_PGBOUNCER:-}" ]; then
    if [ -z "${ONCEWARD_TEST_POSTGRES:-}" ] || [ -z "${ONCEWARD_TEST_PGBOUNCER:-}" ]; then
      die "set both ONCEWARD_TEST_POSTGRES and ONCEWARD_TEST_PGBOUNCER, or neither" 2
    fi
    say "dev: using the servers named by ONCEWARD_TEST_POSTGRES and ONCEWARD_TEST_PGBOUNCER"
    return
  fi
  sweep_services
  # Always /tmp: a socket's path may be no longer than 107 bytes.
  services_home=$(mktemp -d /tmp/onceward-services.XXXXXX)
  [ "$(id -u)" != 0 ] || chown nobody "$services_home"
  start_postgres
  start_pgbouncer
  ONCEWARD_TEST_POSTGRES=$(service_url 5432)
  ONCEWARD_TEST_PGBOUNCER=$(service_url 6432)
  export ONCEWARD_TEST_POSTGRES ONCEWARD_TEST_PGBOUNCER
}

# The form that both sqlx and libpq read: the socket's folder, percent-encoded, in place of a host.
service_url() { printf 'postgres://postgres@%s:%s/postgres' "${services_home//\//%2F}" "$1"; }

start_postgres() {
  (unprivileged TERM initdb --pgdata="$services_home/data" --username=postgres --auth=trust \
    --encoding=UTF8 --no-locale --no-sync) >"$services_home/initdb.log" 2>&1 || failed_service initdb
  # Durability stays at its defaults: tests of crashes rely on it.
  launch postgres QUIT postgres -D "$services_home/data" -k "$services_home" -p 5432 \
    -c listen_addresses='' -c max_connections=300
  await_service postgres 5432
}

start_pgbouncer() {
  cat >"$services_home/pgbouncer.ini" <<INI
[databases]
* = host=$services_home port=5432 user=postgres
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = $services_home
auth_type = any
pool_mode = transaction
max_client_conn = 1000
default_pool_size = 20
; An idle connection to a test's database would keep that database from being dropped.
server_idle_timeout = 2
ignore_startup_parameters = extra_float_digits
INI
  launch pgbouncer TERM pgbouncer "$services_home/pgbouncer.ini"
  await_service pgbouncer 6432
}

# launch NAME SIGNAL COMMAND…: in the background; SIGNAL ends it at once; its output goes to NAME.log.
launch() {
  local name=$1
  shift
  unprivileged "$@" </dev/null >"$services_home/$name.log" 2>&1 &
  services+=("$1 $!")
}

# unprivileged SIGNAL COMMAND…: this (sub)shell becomes the command, never as root, which PostgreSQL refuses.
# The kernel sends SIGNAL when this script is killed outright, so that no server outlives its run.
unprivileged() {
  local as=()
  if has setpriv; then
    as=(setpriv --pdeathsig "$1")
    [ "$(id -u)" != 0 ] || as+=(--reuid "$(id -u nobody)" --regid "$(id -g nobody)" --clear-groups)
  fi
  shift
  cd "$services_home" && exec "${as[@]}" "$@"
}

await_service() {
  local deadline=$((SECONDS + 60))
  until pg_isready -q -h "$services_home" -p "$2" -U postgres -d postgres; do
    kill -0 "${services[-1]#* }" 2>/dev/null || failed_service "$1"
    [ $SECONDS -lt $deadline ] || failed_service "$1"
    sleep 0.1
  done
}

failed_service() {
  tail -n 50 "$services_home/$1.log" >&2
  die "$1 did not start; its log is above"
}

# The last started goes first.
stop_services() {
  local index
  for ((index = ${#services[@]} - 1; index >= 0; index--)); do
    # shellcheck disable=SC2086 # a pair: SIGNAL PID
    stop_service ${services[index]}
  done
  services=()
  local folder
  for folder in "$services_home" "$postfix_home" "$brokers_home"; do [ -z "$folder" ] || rm -rf "$folder"; done
  services_home=
  postfix_home=
  brokers_home=
}

# What has not ended after ten seconds is killed.
stop_service() {
  local tries=100
  kill -s "$1" "$2" 2>/dev/null || true
  while kill -0 "$2" 2>/dev/null && [ $((tries--)) -gt 0 ]; do sleep 0.1; done
  kill -s KILL "$2" 2>/dev/null || true
}

# A run that was killed outright leaves a folder; after an hour, one that answers no more is removed.
sweep_services() {
  local old
  find /tmp -maxdepth 1 -type d -name 'onceward-services.*' -mmin +60 2>/dev/null | while read -r old; do
    pg_isready -q -h "$old" || rm -rf "$old" 2>/dev/null || true
  done
  sweep_postfix
  sweep_brokers
}
