import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/model/index.js';
import { ACME, NODE } from '../../golden/model/wrong-configs.js';
import { configDir, messages } from './config-dir.js';

async function complaints(edit: (acme: string) => string, node = NODE): Promise<string[]> {
  const text = edit(ACME);
  using made = configDir({ 'node.yaml': node, 'tenants.d/acme.yaml': text });
  return messages(await loadConfig(made.dir)).map((m) => m.replace(/^\S+ /, ''));
}
const swap = (from: string, to: string) => (acme: string) => {
  expect(acme).toContain(from);
  return acme.replace(from, to);
};

describe('inside a tenant', () => {
  it.each<[string, (acme: string) => string, string]>([
    [
      'gateway outside',
      swap('subnets: [10.20.0.0/24]', 'subnets: [10.20.0.0/24]\n    gateway: [10.21.0.1]'),
      'segments[0].gateway[0]: the gateway 10.21.0.1 is outside 10.20.0.0/24',
    ],
    [
      'broadcast as gateway',
      swap('subnets: [10.20.0.0/24]', 'subnets: [10.20.0.0/24]\n    gateway: [10.20.0.255]'),
      'is the broadcast address of 10.20.0.0/24',
    ],
    [
      'gateways without subnets',
      swap('subnets: [10.20.0.0/24]', 'subnets: [10.20.0.0/24]\n    gateway: [10.20.0.1, 10.20.0.2]'),
      'there are more gateways than subnets',
    ],
    [
      'probe address outside',
      swap('subnets: [10.20.0.0/24]', 'subnets: [10.20.0.0/24]\n    probe_address: 10.21.0.1'),
      'segments[0].probe_address: 10.21.0.1 is no host address',
    ],
    [
      'overlapping segments',
      swap('load_balancers:', '  - { name: p3, subnets: [10.20.0.0/16] }\nload_balancers:'),
      'overlaps 10.20.0.0/24 of segment "p2"',
    ],
    [
      'VIP as gateway',
      swap('vip_address: 10.20.0.100', 'vip_address: 10.20.0.1'),
      '10.20.0.1 is already the gateway of segment "p2"',
    ],
    [
      'VIP as member',
      swap('address: 10.20.0.2,', 'address: 10.20.0.100,'),
      'pools[0].members[0].address: 10.20.0.100 is the VIP of load balancer "web"',
    ],
    [
      'gateway as member',
      swap('address: 10.20.0.2,', 'address: 10.20.0.1,'),
      '10.20.0.1 is the gateway of segment "p2"',
    ],
    [
      'broadcast as member',
      swap('address: 10.20.0.2,', 'address: 10.20.0.255,'),
      'is the network or broadcast address of 10.20.0.0/24',
    ],
    [
      'a VIP twice',
      swap('pools:', '  - { name: w2, vip_address: 10.20.0.100, segment: p2 }\npools:'),
      '10.20.0.100 is already the VIP of load balancer "web"',
    ],
    [
      'a member twice',
      swap('address: 10.20.0.3,', 'address: 10.20.0.2,'),
      'member 10.20.0.2:8080 is already used in line 22',
    ],
    [
      'a member name twice',
      swap('name: be2', 'name: be1'),
      'the member name "be1" is already used in line 22',
    ],
    [
      'a VIP nowhere',
      swap('    segment: p2\n', ''),
      `it isn't said where the VIP lives; add "segment" or "external_network"`,
    ],
    [
      'a VIP in two places',
      swap('    segment: p2\n', '    segment: p2\n    external_network: public\n'),
      'remove one of the two keys',
    ],
    [
      'a port twice in the tenant',
      swap('      - { name: trunk0, vlan: 120 }', '      - { name: v-a-be1 }'),
      'v-a-be1 is already a port of tenant "acme", segment "p2"',
    ],
    ['VLAN and VNI', swap('vlan: 120 }', 'vlan: 120, vni: 5 }'), 'remove one of the two'],
    ['remote without VNI', swap('vlan: 120 }', 'vlan: 120, remote: 192.0.2.1 }'), 'belongs to a tunnel'],
    [
      'HTTP keys of a TCP monitor',
      swap('type: HTTP', 'type: TCP'),
      'pools[0].health_monitor.url_path: means nothing for type TCP; it is for HTTP',
    ],
    ['overlapping checks', swap('timeout: 1', 'timeout: 3'), '3 s is longer than delay (2 s)'],
    [
      'uneven shares',
      swap('slots: 251', 'slots: 19'),
      'pools[0].slots: warning: 19 slots for 2 members make uneven shares',
    ],
    [
      'a rate without connections',
      swap('protocol_port: 80\n', 'protocol_port: 80\n        mode: stateless\n        connection_rate: 5\n'),
      'a stateless listener knows no connections to count',
    ],
    [
      'a listener without pool',
      swap('        default_pool: web\n', ''),
      'warning: listener "http" has no default_pool and drops everything',
    ],
    [
      'more than the limit',
      swap('segments:', 'limits: { members: 1 }\nsegments:'),
      'limits.members: the tenant has 2 members, more than its limit of 1',
    ],
    [
      'a next hop nowhere',
      swap('load_balancers:', 'routes: [{ destination: 0.0.0.0/0, next_hop: 10.99.0.1 }]\nload_balancers:'),
      'routes[0].next_hop: 10.99.0.1 is in no subnet',
    ],
    [
      'a next hop to ourselves',
      swap('load_balancers:', 'routes: [{ destination: 0.0.0.0/0, next_hop: 10.20.0.1 }]\nload_balancers:'),
      'so packets would return to us',
    ],
    [
      'a route twice',
      swap(
        'load_balancers:',
        'routes: [{ destination: 0.0.0.0/0, next_hop: 10.20.0.9 }, { destination: 0.0.0.0/0, next_hop: 10.20.0.8 }]\nload_balancers:',
      ),
      'a route to 0.0.0.0/0 is already used',
    ],
    [
      'an HTTP version that YAML reads as a number',
      swap('url_path: /health', 'http_version: 1.1'),
      'must be "1.0" or "1.1", in quotes, not 1.1',
    ],
    [
      'a name that YAML reads as a number',
      swap('name: be1', 'name: 7'),
      'a text is expected, not 7; put it in quotes: "7"',
    ],
    ['an empty value', swap('slots: 251', 'slots:'), 'expected a whole number from 1 to 65536, not nothing'],
    [
      'a fraction',
      swap('slots: 251', 'slots: 2.5'),
      "2.5 won't do; it must be a whole number from 1 to 65536",
    ],
  ])('%s', async (_, edit, part) => {
    const found = await complaints(edit);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(part);
  });

  it('a segment of one address has no place for a gateway', async () => {
    expect((await complaints(swap('10.20.0.0/24', '10.20.0.0/32')))[0]).toContain('from 1 to 31, not 32');
  });

  it('a member behind a route may be in no segment', async () => {
    const routed = (acme: string) =>
      swap(
        'address: 10.20.0.2,',
        'address: 10.77.0.2,',
      )(acme).replace(
        'load_balancers:',
        'routes: [{ destination: 10.77.0.0/16, next_hop: 10.20.0.9 }]\nload_balancers:',
      );
    expect(await complaints(routed)).toEqual([]);
  });

  it('the answers of a stateless listener must be told apart from those of any other', async () => {
    const second = (mode1: string, mode2: string) => (acme: string) =>
      acme.replace(
        '        default_pool: web\n',
        `        default_pool: web\n        mode: ${mode1}\n      - { name: alt, protocol: TCP, protocol_port: 81, default_pool: web, mode: ${mode2} }\n`,
      );
    expect(await complaints(second('stateful', 'stateful'))).toEqual([]);
    for (const modes of [
      ['stateless', 'stateful'],
      ['stateful', 'stateless'],
      ['stateless', 'stateless'],
    ] as const) {
      const found = await complaints(second(modes[0], modes[1]));
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(`answers of TCP 10.20.0.2:8080 can't be told apart`);
    }
    const udp = (acme: string) =>
      second('stateless', 'stateless')(acme).replace('alt, protocol: TCP', 'alt, protocol: UDP');
    expect(await complaints(udp)).toEqual([]);
  });

  it.each([
    // private, public
    ['stateful', 'stateless', undefined],
    ['stateless', 'stateless', undefined],
    ['stateful', 'stateful', undefined],
    ['stateless', 'stateful', "can't be told apart"],
  ] as const)(
    'of a %s private and a %s public listener with one member port: %s',
    async (inside, outside, wrong) => {
      const found = await complaints((acme) =>
        acme
          .replace('        default_pool: web\n', `        default_pool: web\n        mode: ${inside}\n`)
          .replace(
            'pools:\n',
            `  - name: out\n    vip_address: 192.168.5.100\n    external_network: public\n    listeners: [{ name: http, protocol: TCP, protocol_port: 80, default_pool: web, mode: ${outside} }]\npools:\n`,
          ),
      );
      if (wrong === undefined) expect(found).toEqual([]);
      else expect(found.join()).toContain(wrong);
    },
  );

  it('two public listeners with one member port may not be stateless', async () => {
    const lb = (name: string, vip: number, mode: string) =>
      `  - name: ${name}\n    vip_address: 192.168.5.${vip}\n    external_network: public\n    listeners: [{ name: http, protocol: TCP, protocol_port: 80, default_pool: web, mode: ${mode} }]\n`;
    const found = await complaints((acme) =>
      acme.replace('pools:\n', `${lb('o1', 100, 'stateless')}${lb('o2', 101, 'stateful')}pools:\n`),
    );
    expect(found.join()).toContain(`listener "o1/http" uses it too`);
  });

  it('one VNI may lead to several remote ends of one segment', async () => {
    const tunnel = swap(
      '- { name: trunk0, vlan: 120 }',
      '- { name: vx, vni: 5, remote: 192.0.2.1 }\n      - { name: vx, vni: 5, remote: 192.0.2.2 }',
    );
    expect(await complaints(tunnel)).toEqual([]);
    expect((await complaints((acme) => tunnel(acme).replace('192.0.2.2', '192.0.2.1')))[0]).toContain(
      'VNI 5 of vx is already a port',
    );
  });
});

describe('node.yaml', () => {
  const node = async (extra: string): Promise<string> =>
    (await complaints((acme) => acme, `${NODE}${extra}`)).join('\n');
  it.each([
    ['openflow: { listen: ["pssl:6653:0.0.0.0"] }\n', 'needs certificates; add openflow.tls'],
    ['openflow: { listen: [] }\n', 'neither listens nor connects'],
    ['openflow: { versions: [OpenFlow12] }\n', 'did you mean OpenFlow15?'],
    ['api: { listen: ["tcp:0.0.0.0:9653"] }\n', 'no token is set: mutations will be refused there'],
    ['api: { token: short }\n', 'a token has 16 to 256 visible characters'],
    ['ovs: { vswitchd: here }\n', 'write auto or the absolute path of a socket'],
    ['state_dir: lib\n', 'an absolute path is needed'],
    ['neighbours: { reachable: 0 }\n', 'it must be a number from 1 to 3600'],
  ])('%j', async (extra, part) => expect(await node(extra)).toContain(part));

  it('knows conflicts of external networks', async () => {
    const second =
      '  - { name: p2, subnets: [192.168.6.0/24, 192.168.6.0/25], address: 192.168.7.1, ports: [{ name: uplink0 }] }\n';
    expect((await node(second)).split('\n')).toEqual([
      'external_networks[1].subnets[1]: 192.168.6.0/25 overlaps another subnet of this network',
      'external_networks[1].address: 192.168.7.1 is no host address of 192.168.6.0/24 or 192.168.6.0/25',
      'external_networks[1].ports[0]: uplink0 is already a port of external network "public"',
    ]);
  });
});
