#!/bin/bash
# Machines of one tenant as namespaces behind ports of br-lb: a client and two HTTP servers. Every tenant gets the same
# addresses and MACs.
set -euo pipefail

TENANT=$1

main() {
  machine client 10 && machine be1 2 && machine be2 3
  serve be1
  serve be2
}

# machine NAME LAST_BYTE
machine() {
  local name=$TENANT-$1 mac
  ip netns add "$name"
  ip link add "$name" type veth peer name eth0 netns "$name"
  ip link set "$name" up
  printf -v mac '02:00:00:00:02:%02x' "$2"
  ip -n "$name" link set lo up
  ip -n "$name" link set eth0 address "$mac" up
  ip -n "$name" addr add "10.20.0.$2/24" dev eth0
  ip -n "$name" route add default via 10.20.0.1
  # The userspace datapath hands packets on as they are: offloaded checksums would never be filled in.
  ip netns exec "$name" ethtool -K eth0 tx off >/dev/null
  ovs-vsctl --timeout=20 --may-exist add-port br-lb "$name"
}

# Answers with its name.
serve() {
  local name=$TENANT-$1
  mkdir -p "/run/www/$name"
  echo "$name" >"/run/www/$name/index.html"
  ip netns exec "$name" python3 -m http.server --directory "/run/www/$name" 8080 >/dev/null 2>&1 &
}

main
