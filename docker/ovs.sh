#!/bin/bash
# An Open vSwitch of this container's own, a bridge that looks for its controller on this machine, and the machines of
# the tenants named in TENANTS. Ends when ovs-vswitchd ends.
set -euo pipefail

RUN=/run/openvswitch
SOCKET_GROUP=${SOCKET_GROUP:-990} # the agent's: it asks ovs-vswitchd for limits, traces, connections

main() {
  mkdir -p "$RUN" /etc/openvswitch /var/log/openvswitch
  [ -e /etc/openvswitch/conf.db ] ||
    ovsdb-tool create /etc/openvswitch/conf.db /usr/share/openvswitch/vswitch.ovsschema
  ovsdb-server /etc/openvswitch/conf.db --remote=punix:$RUN/db.sock --pidfile --detach --no-chdir
  ovs-vsctl --no-wait init
  ovs-vswitchd --pidfile --no-chdir &
  local vswitchd=$!
  trap 'kill $vswitchd' TERM INT
  bridge
  share_socket
  for tenant in ${TENANTS:-}; do tenant.sh "$tenant"; done
  wait $vswitchd
}

# fail_mode=secure: without a controller the bridge forwards by the flows that it has.
bridge() {
  ovs-vsctl --timeout=20 --may-exist add-br br-lb \
    -- set bridge br-lb datapath_type=netdev fail_mode=secure protocols=OpenFlow13,OpenFlow14,OpenFlow15
  ovs-vsctl --timeout=20 set-controller br-lb tcp:127.0.0.1:6653 \
    -- set controller br-lb max_backoff=1000
}

share_socket() {
  local socket
  socket=$RUN/ovs-vswitchd.$(<"$RUN/ovs-vswitchd.pid").ctl
  chgrp "$SOCKET_GROUP" "$socket"
  chmod 770 "$socket"
}

main
