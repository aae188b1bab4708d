#!/bin/bash
# Started by `run --network` in a separate network namespace, as root: three rowgate-logbook, one for each
# value of open_wall, nginx with TLS in front of each, and the tests of real_network.py. The browser is in a
# second namespace, joined by a cable:
#
#   192.0.2.1 of the server, opened from 192.0.2.2: its neighbour
#   198.51.100.1 of the server, opened from 203.0.113.9: of no network of the server's
#
#   network.sh PROGRAMS [TEST...]
set -euo pipefail
programs=$1
shift

room=$(mktemp -d "${TMPDIR:-/tmp}/rowgate-network.XXXXXX")
pids=()
cleanup() {
  trap - EXIT INT TERM
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
    kill "${pids[i]}" 2>/dev/null || continue
    wait "${pids[i]}" 2>/dev/null || true
  done
  rm -rf "$room"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# begin NAME COMMAND...: runs it in the background, its output in $room/NAME.log
begin() {
  local name=$1
  shift
  "$@" > "$room/$name.log" 2>&1 &
  pids+=($!)
}
# until_true WHAT COMMAND...: waits for a condition, two minutes at most
until_true() {
  local what=$1 tries
  shift
  for ((tries = 0; tries < 1200; tries++)); do
    "$@" 2>/dev/null && return
    sleep 0.1
  done
  echo "network.sh: never: $what" >&2
  tail -n 20 "$room"/*.log >&2
  exit 1
}

begin browser unshare --net sleep infinity
holder=${pids[0]}
is_apart() { [ "$(readlink "/proc/$holder/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
until_true 'a second network' is_apart
in_browser() { nsenter --target "$holder" --net "$@"; }
ip link set lo up
ip link add server type veth peer name browser netns "$holder"
ip address add 192.0.2.1/24 dev server
ip address add 198.51.100.1/32 dev server
ip link set server up
ip route add 203.0.113.9/32 dev server
in_browser ip link set lo up
in_browser ip address add 192.0.2.2/24 dev browser
in_browser ip address add 203.0.113.9/32 dev browser
in_browser ip link set browser up
in_browser ip route add 198.51.100.1/32 dev browser src 203.0.113.9

printf 'listener 1883 127.0.0.1\nallow_anonymous true\n' > "$room/broker.conf"
begin mosquitto mosquitto -c "$room/broker.conf"
until_true 'a broker' grep -q running "$room/mosquitto.log"

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
  -subj /CN=192.0.2.1 -addext subjectAltName=IP:192.0.2.1 \
  -keyout "$room/key.pem" -out "$room/certificate.pem" 2> "$room/openssl.log"
mkdir "$room/nginx"
{
  echo "daemon off; worker_processes 1; pid $room/nginx/pid; error_log stderr;"
  # Only root may switch users.
  if [ "$(stat -c %u /etc/passwd)" = 0 ]; then echo 'user root;'; fi
  echo 'events { worker_connections 256; }'
  echo 'http {'
  echo 'access_log off;'
  for name in client_body proxy fastcgi uwsgi scgi; do
    echo "${name}_temp_path $room/nginx/$name;"
  done
  echo "ssl_certificate $room/certificate.pem; ssl_certificate_key $room/key.pem;"
} > "$room/nginx.conf"
export NETWORK_TOKENS='' NETWORK_PORTS=''
port=8080
for wall in machine network nobody; do
  port=$((port + 1))
  {
    echo "server { listen $((port + 1000)) ssl; location / {"
    echo "proxy_pass http://127.0.0.1:$port; proxy_http_version 1.1; proxy_buffering off;"
    # shellcheck disable=SC2016  # of nginx
    echo 'proxy_set_header Host $http_host; proxy_set_header Connection "";'
    echo '} }'
  } >> "$room/nginx.conf"
  printf '%s\n' '[broker]' 'host = "127.0.0.1"' "client_id = \"logbook-$wall\"" \
    '[http]' "listen = \"0.0.0.0:$port\"" "open_wall = \"$wall\"" "open_check_in = \"network\"" \
    "tokens_file = \"$room/tokens-$wall\"" \
    '[store]' "path = \"$room/logbook-$wall.db\"" > "$room/logbook-$wall.toml"
  begin "logbook-$wall" /usr/bin/python3 ./families.py ../../systemd/rowgate-logbook.service \
    "$programs/rowgate-logbook" --config "$room/logbook-$wall.toml"
  NETWORK_PORTS+="$wall=$port "
  for role in wall room athlete coach; do
    athlete=()
    [ "$role" != athlete ] || athlete=(--athlete zoe)
    token=$("$programs/rowgate-logbook" token add "a-$role" --role "$role" "${athlete[@]}" \
      --config "$room/logbook-$wall.toml" 2>> "$room/tokens.log")
    NETWORK_TOKENS+="$wall/$role=$token "
  done
done
echo '}' >> "$room/nginx.conf"
begin nginx nginx -c "$room/nginx.conf" -p "$room/nginx"
for wall in machine network nobody; do
  until_true "logbook $wall" grep -q ready "$room/logbook-$wall.log"
done
answers() { (exec 3<> "/dev/tcp/127.0.0.1/$1"); }
until_true nginx answers 9083

[ $# -gt 0 ] || set -- real_network
status=0
NETWORK_FROM=here /usr/bin/python3 -m unittest "$@" || status=$?
NETWORK_FROM=elsewhere in_browser /usr/bin/python3 -m unittest "$@" || status=$?
exit "$status"
