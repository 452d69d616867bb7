# shellcheck shell=bash
# A NATS with JetStream of this run alone: a free port on loopback, its files in one private folder.

brokers_home=

# need_nats: installs it if it is missing, starts it, and exports ONCEWARD_TEST_NATS, its URL.
need_nats() {
  [ -z "${ONCEWARD_TEST_NATS:-}" ] || return 0
  has nats-server || without_starting need_packages nats-server=nats-server
  start_nats
}

# use_nats: the same, only where nothing is to be installed. Tests that need it say so.
use_nats() { ! has nats-server || need_nats; }

start_nats() {
  local port
  port=$(free_port)
  broker_folder
  mkdir "$brokers_home/jetstream"
  [ "$(id -u)" != 0 ] || chown nobody "$brokers_home/jetstream"
  launch_broker nats TERM nats-server --addr 127.0.0.1 --port "$port" --jetstream --store_dir "$brokers_home/jetstream"
  await_broker nats "$port"
  export ONCEWARD_TEST_NATS=nats://127.0.0.1:$port
}

# broker_folder: brokers_home, the folder that all brokers of this run share.
broker_folder() {
  [ -z "$brokers_home" ] || return 0
  brokers_home=$(mktemp -d /tmp/onceward-brokers.XXXXXX)
  # Its daemons are users of their own.
  chmod 755 "$brokers_home"
}

# launch_broker NAME SIGNAL COMMAND…: as `launch`, in the brokers' folder.
launch_broker() {
  local name=$1
  shift
  (services_home=$brokers_home && unprivileged "$@") </dev/null >"$brokers_home/$name.log" 2>&1 &
  services+=("$1 $!")
}

# await_broker NAME PORT: until somebody listens there.
await_broker() {
  local deadline=$((SECONDS + 90))
  until (exec 3<>"/dev/tcp/127.0.0.1/$2") 2>/dev/null; do
    if ! kill -0 "${services[-1]#* }" 2>/dev/null || [ $SECONDS -ge $deadline ]; then
      tail -n 50 "$brokers_home/$1.log" >&2
      die "$1 did not start; its log is above"
    fi
    sleep 0.1
  done
}

# A run that was killed outright leaves a folder, though no server.
sweep_brokers() {
  local old
  find /tmp -maxdepth 1 -type d -name 'onceward-brokers.*' -mmin +60 2>/dev/null | while read -r old; do
    grep -lzqs -- "$old" /proc/[0-9]*/cmdline || rm -rf "$old" || true
  done
}
