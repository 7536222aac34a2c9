# Open vSwitch with the userspace datapath, and machines of two tenants to try it with.
# From the root of the repository: docker build -f docker/ovs.Dockerfile -t hpnn-ovs .
FROM debian:12-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends openvswitch-switch iproute2 ethtool curl python3 \
  && rm -rf /var/lib/apt/lists/*
COPY docker/ovs.sh docker/tenant.sh /usr/local/bin/
HEALTHCHECK --interval=5s --timeout=5s --start-period=10s CMD ["ovs-vsctl", "--timeout=3", "br-exists", "br-lb"]
ENTRYPOINT ["ovs.sh"]
