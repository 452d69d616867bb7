# shellcheck shell=bash
# A RabbitMQ of this run alone: free ports on loopback, a port mapper of its own, everything in the brokers' folder.

# need_rabbitmq: installs it if it is missing, starts it, and exports ONCEWARD_TEST_RABBITMQ, its URL.
need_rabbitmq() {
  [ -z "${ONCEWARD_TEST_RABBITMQ:-}" ] || return 0
  has_rabbitmq || without_starting need_packages rabbitmq-server=rabbitmq-server
  has_rabbitmq || die "rabbitmq-server was installed, but is not in /usr/lib/rabbitmq/bin" 2
  start_rabbitmq
}

# use_rabbitmq: the same, only where nothing is to be installed. Tests that need it say so.
use_rabbitmq() { ! has_rabbitmq || need_rabbitmq; }

# The script in PATH insists on being root or rabbitmq; what it calls does not.
has_rabbitmq() { [ -x /usr/lib/rabbitmq/bin/rabbitmq-server ] && has epmd; }

start_rabbitmq() {
  local port distribution mapper home
  port=$(free_port) distribution=$(free_port) mapper=$(free_port)
  broker_folder
  home=$brokers_home/rabbitmq
  mkdir "$home"
  # Its user need not be able to read this checkout.
  install -m 755 scripts/services/rabbitmq-node "$brokers_home/rabbitmq-node"
  [ "$(id -u)" != 0 ] || chown nobody "$home"
  launch_broker epmd TERM epmd -port "$mapper" -address 127.0.0.1
  await_broker epmd "$mapper"
  launch_broker rabbitmq TERM "$brokers_home/rabbitmq-node" "$home" "$port" "$distribution" "$mapper"
  await_broker rabbitmq "$port"
  export ONCEWARD_TEST_RABBITMQ=amqp://guest:guest@127.0.0.1:$port
}
