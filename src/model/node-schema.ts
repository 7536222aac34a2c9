/** The form of node.yaml. */
import { z } from 'zod';
import type { Parsed } from './address.js';
import { flag, ipv4, listOf, mac, name, path, pattern, prefix4, seconds, textOf, whole } from './scalars.js';
import { adjacencies, portSchema } from './tenant-schema.js';
import { parseApiListen, parseRemote } from './units.js';

const remote = (direction: 'listen' | 'connect', examples: string[]) =>
  textOf((text) => parseRemote(text, direction), {
    description: 'A remote in the syntax of Open vSwitch',
    examples,
  });

const autoOrPath = (text: string): Parsed<string> =>
  text === 'auto' || text.startsWith('/')
    ? { ok: true, value: text }
    : { ok: false, why: `"${text}" won't do; write auto or the absolute path of a socket` };

const externalNetworkSchema = z
  .strictObject({
    name: name('Name of the network'),
    ports: listOf(portSchema, 4096, 'Ports of the bridge that lead there').default([]),
    subnets: listOf(prefix4('A subnet', '192.168.5.0/24'), 64, 'Subnets of the network').min(1, {
      error: 'is empty; an external network needs at least one subnet, like 192.168.5.0/24',
    }),
    address: ipv4("The node's address there: answers ARP, source of probes and ARP requests", '192.168.5.1'),
    gateway: ipv4('Next hop for clients beyond the subnets', '192.168.5.254').optional(),
    mac: mac('MAC address of the node there; default: derived from node and network').optional(),
    limits: z
      .strictObject({ adjacencies })
      .meta({ description: 'What clients there may make the switch learn; others are resolved by ARP' })
      .prefault({}),
  })
  .meta({ description: 'A network outside, shared by tenants, where public VIPs live' });

export const nodeSchema = z
  .strictObject({
    node: name('Name of this node'),
    bridge: pattern(/^[!-~]{1,15}$/, 'a bridge name has 1 to 15 visible characters', {
      description: 'Name of the bridge in Open vSwitch',
    }).default('br-lb'),
    openflow: z
      .strictObject({
        listen: listOf(
          remote('listen', ['ptcp:6653:127.0.0.1', 'pssl:6653:0.0.0.0', 'punix:/run/hpnn/of.sock']),
          16,
          'Where the switch connects to us',
        ).optional(),
        connect: listOf(
          remote('connect', ['unix:/var/run/openvswitch/br-lb.mgmt', 'tcp:127.0.0.1:6654']),
          16,
          'Where we connect to the switch',
        ).default([]),
        versions: z
          .array(z.enum(['OpenFlow15', 'OpenFlow13']))
          .min(1, { error: 'is empty; name OpenFlow15, OpenFlow13 or both' })
          .meta({ description: 'Protocol versions, preferred first' })
          .default(['OpenFlow15', 'OpenFlow13']),
        tls: z
          .strictObject({
            private_key: path('PEM file of our private key'),
            certificate: path('PEM file of our certificate'),
            ca_certificate: path('PEM file of the authority that the peer must be certified by'),
          })
          .meta({ description: 'For ssl: and pssl:' })
          .optional(),
        inactivity_probe: seconds(
          0,
          3600,
          'Silence after which the switch is asked for a sign of life; 0: never',
        ).default(5),
      })
      .meta({ description: 'The OpenFlow channel' })
      .default({ connect: [], versions: ['OpenFlow15', 'OpenFlow13'], inactivity_probe: 5 }),
    ovs: z
      .strictObject({
        vswitchd: textOf(autoOrPath, {
          description: 'unixctl socket of ovs-vswitchd: ct limits, trace, dpctl',
          examples: ['auto'],
        }).default('auto'),
      })
      .meta({ description: 'What is not OpenFlow' })
      .default({ vswitchd: 'auto' }),
    api: z
      .strictObject({
        listen: listOf(
          textOf(parseApiListen, {
            description: 'unix:/PATH or tcp:ADDRESS:PORT',
            examples: ['unix:/run/hpnn/agent.sock'],
          }),
          16,
          'Where the API listens',
        ).default(['unix:/run/hpnn/agent.sock', 'tcp:127.0.0.1:9653']),
        token: pattern(/^[!-~]{16,256}$/, 'a token has 16 to 256 visible characters', {
          description: 'Bearer token that allows mutations on TCP',
        }).optional(),
        token_file: path('File that holds the token').optional(),
        trust_loopback: flag('Mutations from a loopback address need no token').default(true),
      })
      .meta({ description: 'The HTTP interface' })
      .default({ listen: ['unix:/run/hpnn/agent.sock', 'tcp:127.0.0.1:9653'], trust_loopback: true }),
    state_dir: path('Where ids and administrative states are kept').default('/var/lib/hpnn'),
    external_networks: listOf(externalNetworkSchema, 256, 'External networks').default([]),
    limits: z
      .strictObject({
        probes_per_second: whole(1, 1_000_000, 'Health probes of the node').default(5000),
        packet_in_per_second: whole(1, 1_000_000, 'Packets the switch may hand to the agent').default(20000),
        connections_per_tenant: whole(
          1,
          0xffffffff,
          'Connection tracking entries of a tenant without a limit of its own',
        ).optional(),
      })
      .meta({ description: 'Limits of the node' })
      .default({ probes_per_second: 5000, packet_in_per_second: 20000 }),
    neighbours: z
      .strictObject({
        reachable: seconds(1, 3600, 'How long an answer counts; spread by 0.5 to 1.5').default(30),
        retransmit: seconds(0.1, 60, 'Time between solicitations').default(1),
        delay: seconds(0.1, 60, 'Time a stale entry may be used before it is verified').default(5),
        multicast_solicitations: whole(
          1,
          20,
          'Broadcast requests before an address counts as absent',
        ).default(3),
        unicast_solicitations: whole(1, 20, 'Requests to the known MAC before it counts as gone').default(3),
        idle: seconds(1, 86400, 'How long an unused entry stays').default(300),
        negative: seconds(0, 60, "How long an address that didn't answer isn't asked again").default(1),
        max_per_tenant: whole(16, 65536, 'Entries of a tenant').default(4096),
        max_moves_per_minute: whole(1, 600, 'Changes of MAC or port above which an entry is damped').default(
          10,
        ),
      })
      .meta({ description: 'Timers and bounds of the neighbour table' })
      .prefault({}),
  })
  .meta({ title: 'hpnn node', description: 'The node: node.yaml' });

export type NodeFile = z.output<typeof nodeSchema>;
