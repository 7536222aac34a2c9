import { afterAll, beforeAll, expect, it } from 'vitest';
import { OFP15 } from '../../../src/ofp/index.js';
import { renderNode, renderTenant } from '../../../src/pipeline/index.js';
import { CT } from '../../fake-switch/conntrack.js';
import { FakeSwitch, type Walk } from '../../fake-switch/fake-switch.js';
import {
  facts,
  ip,
  listener,
  mac,
  member,
  pool,
  port,
  prefix,
  segment,
  tenant,
} from '../../golden/pipeline/intents.js';
import { World } from './world.js';

/** The fake switch goes the way of the real one: a few hundred packets, compared rule by rule with ofproto/trace. */
const PORTS = { c1: 11, b1: 12, b2: 13, c2: 21, d1: 22, d2: 23, uplink: 30, trunk: 31 };
const tenants = [1, 2].map((id) => {
  const [c, a, b] = id === 1 ? ['c1', 'b1', 'b2'] : ['c2', 'd1', 'd2'];
  const pools = [
    // One member each: which slot a hash chooses is the real switch's business.
    pool(id, [member(id * 100 + 1, '10.20.0.2:8080')]),
    pool(id + 10, [member(id * 100 + 2, '10.30.0.2:8080')]),
    pool(id + 20, []),
  ];
  return tenant(id, {
    segments: [
      segment(2, '10.20.0.0/24', [c!, a!]),
      segment(3, '10.30.0.0/24', [b!, port('trunk', { vlan: 100 + id })]),
    ],
    routes: [{ destination: prefix('172.16.0.0/12'), nextHop: ip('10.20.0.254'), segmentId: 2 }],
    listeners: [
      listener(id * 10, '10.20.0.100:80', 2, { poolId: id, allowedCidrs: [prefix('10.0.0.0/8')] }),
      listener(id * 10 + 1, '10.20.0.100:81', 2, { poolId: id + 20 }),
      listener(id * 10 + 2, '10.20.0.100:53', 2, { poolId: id + 10, protocol: 'UDP' }),
      listener(id * 10 + 3, '10.20.0.101:80', 2, { poolId: id + 10, mode: 'stateless' }),
      listener(id * 10 + 4, `192.168.5.3${id}:80`, 'ext:1', {
        poolId: id,
        mode: id === 1 ? 'stateful' : 'stateless',
      }),
    ],
    pools,
  });
});
const provider = {
  networks: [
    segment(1, '192.168.5.0/24', ['uplink'], {
      mac: mac('02:00:c0:a8:05:01'),
      probeAddress: ip('192.168.5.1'),
      externalGateway: ip('192.168.5.254'),
    }),
  ],
};
const known = facts(PORTS, tenants, {
  '1/2': [{ address: ip('10.20.0.2'), mac: mac('02:00:00:00:02:02'), ofport: 12 }],
  '2/3': [{ address: ip('10.30.0.2'), mac: mac('02:00:00:00:03:02'), ofport: 31, vlan: 102 }],
  '65535/1': [{ address: ip('192.168.5.254'), mac: mac('02:00:00:00:05:fe'), ofport: 30 }],
});
const states = [...renderNode(provider, known), ...tenants.flatMap((t) => renderTenant(t, known, provider))];

let world: World;
const fake = new FakeSwitch();
beforeAll(async () => {
  world = await World.create();
  const { vswitch } = world.lab;
  for (const [name, ofport] of Object.entries(PORTS))
    await vswitch.vsctl(
      `add-port br-lb ${name} -- set interface ${name} type=internal ofport_request=${ofport}`.split(' '),
    );
  await world.connect(OFP15);
  await world.install(tenants, provider, known);
  fake.install(states);
}, 60_000);
afterAll(() => world.close());

it('goes the way of the real switch', async () => {
  const random = generator(20);
  const results = [];
  for (let i = 0; i < 400; i++) results.push(await compare(packetOf(random), ctOf(random)));
  const tables = new Set(results.flatMap((path) => path.map((step) => Number(step.split(' ')[0]))));
  // All but the tenant's rate have been visited.
  expect([...tables].sort((a, b) => a - b)).toEqual([
    0, 1, 2, 5, 6, 10, 11, 12, 15, 16, 17, 20, 21, 24, 25, 26,
  ]);
}, 60_000);

async function compare(packet: string, ct: readonly string[]): Promise<string[]> {
  const options = ct.flatMap((state) => ['--ct-next', state]);
  const { stdout } = await world.lab.vswitch.appctl(['ofproto/trace', 'br-lb', packet, ...options]);
  const expected = traced(stdout);
  const walk = fake.walk(packet, { learns: false, ctNext: ct.map(stateOf) });
  expect(walked(walk), `${packet} ${ct}\n${stdout}`).toEqual(expected);
  return expected.path;
}

function walked(walk: Walk) {
  return {
    path: walk.rules.map((r) => `${r.table} ${r.priority} ${r.cookie.toString(16)}`),
    suppressed: walk.suppressed,
    punts: walk.punts.length,
  };
}

function traced(text: string) {
  const lines = text.split('\n');
  const rules = lines.flatMap((line) => {
    const rule = /^\s*(\d+)\. (?:.*[ ,])?priority (\d+)(?:, cookie 0x([0-9a-f]+))?$/.exec(line);
    return rule ? [`${rule[1]} ${rule[2]} ${rule[3] ?? 0}`] : [];
  });
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  return {
    path: rules,
    suppressed: count(/skipping output to input port/),
    punts: count(/^\s+controller\(/),
  };
}

/** ct_state words of ofproto/trace: `trk,new`. */
function stateOf(words: string): number {
  return words.split(',').reduce((bits, word) => bits | CT[word as keyof typeof CT], 0);
}

function ctOf(random: <T>(...of: readonly T[]) => T): string[] {
  const state = () => random('trk,new', 'trk,est', 'trk,est,rpl', 'trk,new,rel', 'trk,inv');
  return [state(), state(), state()];
}

function packetOf(random: <T>(...of: readonly T[]) => T): string {
  const inPort = random(11, 11, 12, 13, 21, 22, 30, 30, 31, 31, 99);
  const vlan =
    inPort === 31 ? `dl_vlan=${random(101, 102, 103)},` : random('', '', '', '', '', 'dl_vlan=101,');
  const src = 'dl_src=02:00:00:00:02:10';
  const gateway =
    inPort === 30
      ? '02:00:c0:a8:05:01'
      : [13, 31].includes(inPort)
        ? '02:42:0a:00:00:03'
        : '02:42:0a:00:00:02';
  const dst = `dl_dst=${random(gateway, gateway, gateway, gateway, '02:00:00:00:02:02', 'ff:ff:ff:ff:ff:ff', '01:80:c2:00:00:0e')}`;
  const at = `in_port=${inPort},${vlan}${src},${dst}`;
  const address = () =>
    random(
      '10.20.0.10',
      '10.20.0.2',
      '10.30.0.2',
      '10.30.0.7',
      '10.20.0.100',
      '10.20.0.101',
      '10.20.0.1',
      '10.20.0.253',
      '192.168.5.31',
      '192.168.5.32',
      '192.168.5.1',
      '192.168.5.50',
      '172.16.1.1',
      '8.8.8.8',
    );
  if (random(1, 2, 3, 4, 5, 6) === 1)
    return `${at},arp,arp_op=${random(1, 2)},arp_spa=${address()},arp_tpa=${address()}`;
  const between = `nw_src=${address()},nw_dst=${random('10.20.0.100', '10.20.0.101', '192.168.5.31', address(), address())},nw_ttl=64`;
  const service = () => random(80, 81, 53, 8080, 40000);
  return random(
    `${at},tcp,${between},tp_src=${service()},tp_dst=${service()}`,
    `${at},tcp,${between},tp_src=8080,tp_dst=40000`,
    `${at},tcp,${between},tp_src=40000,tp_dst=80`,
    `${at},udp,${between},udp_src=${service()},udp_dst=${service()}`,
    `${at},icmp,${between},icmp_type=${random(0, 3, 8, 8, 11)}`,
  );
}

/** The same sequence in every run. */
function generator(seed: number): <T>(...of: readonly T[]) => T {
  let state = seed;
  return (...of) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return of[Math.floor((state / 2 ** 32) * of.length)]!;
  };
}
