# shellcheck shell=bash
# A Postfix of this run alone: free ports on loopback, everything in one private folder. It starts as root only, and
# hands each duty to an unprivileged user itself. Mail for anybody @box.test is kept in one maildir; some recipients there
# are answered in ways of their own.

postfix_home=

# need_postfix: installs it if it is missing, starts it, and exports ONCEWARD_TEST_POSTFIX, the folder that it is in.
need_postfix() {
  [ -z "${ONCEWARD_TEST_POSTFIX:-}" ] || return 0
  [ "$(id -u)" = 0 ] ||
    die "Postfix starts as root only: run this as root, or name the folder of one in ONCEWARD_TEST_POSTFIX" 2
  local wanted=(postfix=postfix saslpasswd2=sasl2-bin,libsasl2-modules openssl=openssl)
  { has postfix && has saslpasswd2 && has openssl; } || without_starting need_packages "${wanted[@]}"
  start_postfix
}

# use_postfix: the same, only where nothing is to be installed. Tests that need it say so.
use_postfix() { [ "$(id -u)" != 0 ] || ! has postfix || ! has saslpasswd2 || need_postfix; }

# without_starting COMMAND…: packages that are installed meanwhile start no server on this machine.
without_starting() {
  local policy=/usr/sbin/policy-rc.d
  if [ -e $policy ]; then
    "$@"
    return
  fi
  printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy
  local status=0
  ("$@") || status=$?
  rm -f $policy
  return $status
}

start_postfix() {
  local plain tls login
  postfix_home=$(mktemp -d /tmp/onceward-postfix.XXXXXX)
  # Its daemons are users of their own.
  chmod 755 "$postfix_home"
  mkdir "$postfix_home"/{etc,etc/sasl,spool,data,mbox}
  chown postfix "$postfix_home/data"
  chown nobody "$postfix_home/mbox"
  plain=$(free_port) tls=$(free_port) login=$(free_port)
  printf '%s\n' "$plain" "$tls" "$login" >"$postfix_home/ports"
  postfix_certificate
  postfix_user
  postfix_config "$plain" "$tls" "$login"
  postfix -c "$postfix_home/etc" check || die "Postfix does not take its configuration"
  (cd "$postfix_home" && exec setpriv --pdeathsig TERM "$(postconf -h daemon_directory)/master" \
    -c "$postfix_home/etc" -s) </dev/null >"$postfix_home/log" 2>&1 &
  services+=("TERM $!")
  await_port "$plain" && await_port "$tls" && await_port "$login"
  export ONCEWARD_TEST_POSTFIX=$postfix_home
}

postfix_certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE \
    -keyout "$postfix_home/key.pem" -out "$postfix_home/cert.pem" \
    2>/dev/null || die "openssl could not make a certificate"
  chmod 600 "$postfix_home/key.pem"
}

# The only user that may log in: reader@mx.test.
postfix_user() {
  local sasl=$postfix_home/etc/sasl
  printf '%s\n' 'pwcheck_method: auxprop' 'auxprop_plugin: sasldb' "sasldb_path: $sasl/db" 'mech_list: PLAIN LOGIN' \
    >"$sasl/smtpd.conf"
  printf 's3cret-of-mail' | saslpasswd2 -p -c -f "$sasl/db" -u mx.test reader
  chown postfix "$sasl/db"
}

# postfix_config PLAIN TLS LOGIN: the ports without TLS, with TLS from the start, and with STARTTLS and a login.
postfix_config() {
  cat >"$postfix_home/etc/master.cf" <<CF
127.0.0.1:$1 inet n - n - - smtpd
127.0.0.1:$2 inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
127.0.0.1:$3 inet n - n - - smtpd -o smtpd_tls_security_level=encrypt -o smtpd_sasl_auth_enable=yes -o smtpd_client_restrictions=permit_sasl_authenticated,reject
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
CF
  cat >"$postfix_home/etc/main.cf" <<CF
compatibility_level = 3.6
queue_directory = $postfix_home/spool
data_directory = $postfix_home/data
command_directory = $(postconf -h command_directory)
daemon_directory = $(postconf -h daemon_directory)
maillog_file = /dev/stdout
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.test
mydestination =
alias_maps =
local_recipient_maps =
mynetworks = 127.0.0.0/8
virtual_mailbox_domains = box.test
virtual_mailbox_maps = static:all/
virtual_mailbox_base = $postfix_home/mbox
virtual_mailbox_limit = 0
virtual_uid_maps = static:$(id -u nobody)
virtual_gid_maps = static:$(id -g nobody)
virtual_minimum_uid = 100
message_size_limit = 200000
in_flow_delay = 0
smtpd_error_sleep_time = 0
smtpd_recipient_restrictions = check_recipient_access inline:{ {grey@box.test=450 4.2.0 Greylisted, try later}, {full@box.test=452 4.2.2 Mailbox full}, {gone@box.test=550 5.1.1 User unknown}, {drop@box.test=521 5.7.1 go away}, {disc@box.test=421 4.7.0 bye} }, reject_unauth_destination
smtpd_tls_cert_file = $postfix_home/cert.pem
smtpd_tls_key_file = $postfix_home/key.pem
smtpd_tls_security_level = may
smtpd_sasl_local_domain = mx.test
CF
}

# A run that was killed outright leaves a folder, though no server.
sweep_postfix() {
  local old
  find /tmp -maxdepth 1 -type d -name 'onceward-postfix.*' -mmin +60 2>/dev/null | while read -r old; do
    [ -e "/proc/$(tr -dc 0-9 2>/dev/null <"$old/spool/pid/master.pid")/exe" ] || rm -rf "$old" || true
  done
}

# A port of loopback on which nobody listens at the moment.
free_port() {
  local port
  while port=$((20000 + RANDOM % 12000)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

await_port() {
  local deadline=$((SECONDS + 60))
  until (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do
    if ! kill -0 "${services[-1]#* }" 2>/dev/null || [ $SECONDS -ge $deadline ]; then
      tail -n 50 "$postfix_home/log" >&2
      die "Postfix did not start; its log is above"
    fi
    sleep 0.1
  done
}
