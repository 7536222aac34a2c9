/** From node.yaml's text values to numbers and milliseconds. */
import { createHash } from 'node:crypto';
import { must, parseIpv4, parseMac, parsePrefix4 } from './address.js';
import type { NodeFile } from './node-schema.js';
import type { PortFile } from './tenant-schema.js';
import type { ExternalNetworkConfig, Mac, NodeConfig, PortRef } from './types.js';
import { parseApiListen, parseBandwidth, parseRemote } from './units.js';

const ms = (seconds: number): number => Math.round(seconds * 1000);

export function compileNode(file: NodeFile): NodeConfig {
  const { openflow, api, limits, neighbours } = file;
  // Without a word about it the switch connects to us, on the port that IANA gave OpenFlow.
  const listen = openflow.listen ?? (openflow.connect.length > 0 ? [] : ['ptcp:6653:127.0.0.1']);
  return {
    node: file.node,
    bridge: file.bridge,
    openflow: {
      listen: listen.map((text) => must(parseRemote(text, 'listen'))),
      connect: openflow.connect.map((text) => must(parseRemote(text, 'connect'))),
      versions: [...new Set(openflow.versions)],
      inactivityProbeMs: ms(openflow.inactivity_probe),
      ...(openflow.tls === undefined
        ? {}
        : {
            tls: {
              privateKey: openflow.tls.private_key,
              certificate: openflow.tls.certificate,
              caCertificate: openflow.tls.ca_certificate,
            },
          }),
    },
    ovs: { vswitchd: file.ovs.vswitchd },
    api: {
      listen: api.listen.map((text) => must(parseApiListen(text))),
      trustLoopback: api.trust_loopback,
      ...(api.token === undefined ? {} : { token: api.token }),
      ...(api.token_file === undefined ? {} : { tokenFile: api.token_file }),
    },
    stateDir: file.state_dir,
    externalNetworks: file.external_networks.map((network) => compileNetwork(file.node, network)),
    limits: {
      probesPerSecond: limits.probes_per_second,
      packetInPerSecond: limits.packet_in_per_second,
      ...(limits.connections_per_tenant === undefined
        ? {}
        : { connectionsPerTenant: limits.connections_per_tenant }),
    },
    neighbours: {
      reachableMs: ms(neighbours.reachable),
      retransmitMs: ms(neighbours.retransmit),
      delayMs: ms(neighbours.delay),
      multicastSolicitations: neighbours.multicast_solicitations,
      unicastSolicitations: neighbours.unicast_solicitations,
      idleMs: ms(neighbours.idle),
      negativeMs: ms(neighbours.negative),
      maxPerTenant: neighbours.max_per_tenant,
      maxMovesPerMinute: neighbours.max_moves_per_minute,
    },
  };
}

function compileNetwork(node: string, network: NodeFile['external_networks'][number]): ExternalNetworkConfig {
  return {
    name: network.name,
    // Two nodes share the network, so the node is part of the name.
    mac: network.mac === undefined ? deriveMac('external', node, network.name) : must(parseMac(network.mac)),
    subnets: network.subnets.map((text) => must(parsePrefix4(text))),
    address: must(parseIpv4(network.address)),
    ports: network.ports.map(compilePort),
    learning: { macs: 0, adjacencies: network.limits.adjacencies },
    ...(network.gateway === undefined ? {} : { gateway: must(parseIpv4(network.gateway)) }),
  };
}

export function compilePort(port: PortFile): PortRef {
  return {
    name: port.name,
    uplink: port.role === 'uplink',
    ...(port.vlan === undefined ? {} : { vlan: port.vlan }),
    ...(port.vni === undefined ? {} : { vni: port.vni }),
    ...(port.remote === undefined ? {} : { remote: must(parseIpv4(port.remote)) }),
    ...(port.bandwidth === undefined ? {} : { bandwidth: must(parseBandwidth(port.bandwidth)) }),
  };
}

/** A locally administered station address that depends on the names alone, so it is the same after every restart. */
export function deriveMac(...names: readonly string[]): Mac {
  const digest = createHash('sha256').update(names.join('/')).digest();
  const first = (digest[0]! & 0xfc) | 0x02;
  return (BigInt(first) << 40n) | BigInt(digest.readUIntBE(1, 5));
}
