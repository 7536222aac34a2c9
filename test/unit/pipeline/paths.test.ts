import { beforeEach, describe, expect, it } from 'vitest';
import { F } from '../../../src/nx-extensions/fields.js';
import type { Field } from '../../../src/ofp/types/field.js';
import { dropOf, renderNode, renderPool, renderTenant } from '../../../src/pipeline/index.js';
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

/** Packets walked through the rules of two tenants with equal addresses, by a switch that is a model of one. */
const GATEWAY = 'dl_dst=02:42:0a:00:00:02';
const CLIENT = 'dl_src=02:00:00:00:02:10';
const ports = { c1: 11, b1: 12, b2: 13, c2: 21, d1: 22, d2: 23, uplink: 30, other: 32, trunk: 31 };
const tenants = [1, 2].map((id) => {
  const [c, a, b] = id === 1 ? ['c1', 'b1', 'b2'] : ['c2', 'd1', 'd2'];
  return tenant(id, {
    segments: [
      segment(2, '10.20.0.0/24', [c!, a!]),
      segment(3, '10.30.0.0/24', [b!, port('trunk', { vlan: 100 + id })]),
    ],
    routes: [{ destination: prefix('0.0.0.0/0'), nextHop: ip('10.20.0.254'), segmentId: 2 }],
    listeners: [
      listener(id * 10, '10.20.0.100:80', 2, { poolId: id }),
      listener(id * 10 + 1, '10.20.0.100:81', 2),
      listener(id * 10 + 2, `192.168.5.3${id}:80`, 'ext:1', {
        poolId: id,
        mode: id === 1 ? 'stateful' : 'stateless',
      }),
    ],
    pools: [
      pool(id, [member(id * 100 + 1, '10.20.0.2:8080'), member(id * 100 + 2, '10.30.0.2:8080')], {
        slots: 13,
      }),
    ],
  });
});
const provider = {
  networks: [
    segment(1, '192.168.5.0/24', ['uplink', 'other'], {
      mac: mac('02:00:c0:a8:05:01'),
      probeAddress: ip('192.168.5.1'),
    }),
  ],
};
const neighbours = Object.fromEntries(
  [1, 2].flatMap((id) => [
    [`${id}/2`, [{ address: ip('10.20.0.2'), mac: mac('02:00:00:00:02:02'), ofport: id * 10 + 2 }]],
    [`${id}/3`, [{ address: ip('10.30.0.2'), mac: mac('02:00:00:00:03:02'), ofport: id * 10 + 3 }]],
  ]),
);
const known = facts(ports, tenants, neighbours);

let sw: FakeSwitch;
beforeEach(() => {
  sw = new FakeSwitch();
  sw.install([...renderNode(provider, known), ...tenants.flatMap((t) => renderTenant(t, known, provider))]);
});

const values = (walk: Walk, ...fields: Field[]) =>
  walk.outputs.map((o) => fields.map((f) => o.packet.get(f)));
const tables = (walk: Walk) => walk.rules.map((r) => r.table);
const request = (sport: number, inPort = 11, vip = '10.20.0.100') =>
  `in_port=${inPort},${CLIENT},${GATEWAY},tcp,nw_src=10.20.0.10,nw_dst=${vip},nw_ttl=64,tp_src=${sport},tp_dst=80`;
/** A source port that the stand-in hash sends to a member. */
const reaching = (host: string, inPort = 11) => {
  for (let p = 40000; p < 40100; p++)
    if (sw.walk(request(p, inPort)).outputs.some((o) => o.packet.get(F.nw_dst) === BigInt(ip(host)))) {
      sw.conntrack.flush();
      return p;
    }
  throw new Error(`nothing reaches ${host}`);
};

describe('a private listener', () => {
  it('sends to a neighbour as it came, and back from the VIP', () => {
    const p = reaching('10.20.0.2');
    const there = sw.walk(request(p));
    expect(tables(there)).toEqual([0, 1, 2, 10, 10, 11, 12, 20, 21]);
    expect(there.outputs.map((o) => o.port)).toEqual([12]);
    expect(values(there, F.nw_dst, F.tcp_dst, F.nw_ttl, F.dl_src, F.dl_dst)).toEqual([
      [BigInt(ip('10.20.0.2')), 8080n, 64n, mac('02:00:00:00:02:10'), mac('02:00:00:00:02:02')],
    ]);
    const back = sw.walk(
      `in_port=12,dl_src=02:00:00:00:02:02,dl_dst=02:00:00:00:02:10,tcp,nw_src=10.20.0.2,nw_dst=10.20.0.10,nw_ttl=64,tp_src=8080,tp_dst=${p}`,
    );
    expect(tables(back)).toEqual([0, 1, 24, 25]);
    expect(back.outputs.map((o) => o.port)).toEqual([11]);
    expect(values(back, F.nw_src, F.tcp_src, F.nw_ttl)).toEqual([[BigInt(ip('10.20.0.100')), 80n, 64n]]);
  });

  it('routes to another segment, and back by the learned adjacency', () => {
    const p = reaching('10.30.0.2');
    const there = sw.walk(request(p));
    expect(there.outputs.map((o) => o.port)).toEqual([13]);
    expect(values(there, F.nw_ttl, F.dl_src)).toEqual([[63n, mac('02:42:0a:00:00:03')]]);
    const back = sw.walk(
      `in_port=13,dl_src=02:00:00:00:03:02,dl_dst=02:42:0a:00:00:03,tcp,nw_src=10.30.0.2,nw_dst=10.20.0.10,nw_ttl=64,tp_src=8080,tp_dst=${p}`,
    );
    expect(tables(back)).toEqual([0, 1, 2, 15, 16, 20, 21]);
    expect(back.outputs.map((o) => o.port)).toEqual([11]);
    expect(values(back, F.nw_src, F.tcp_src, F.nw_ttl, F.dl_dst)).toEqual([
      [BigInt(ip('10.20.0.100')), 80n, 63n, mac('02:00:00:00:02:10')],
    ]);
  });

  it('keeps an established connection on its member when all slots move', () => {
    const p = reaching('10.30.0.2');
    sw.walk(request(p));
    const moved = renderPool(tenants[0]!, tenants[0]!.pools[0]!, new Set([101]));
    sw.apply(...moved.flows.map((f) => ({ type: 'flow_mod', command: 'add', ...f }) as const));
    const next = sw.walk(request(p));
    expect(tables(next)).toEqual([0, 1, 2, 10, 10, 20, 21]);
    expect(next.outputs.map((o) => o.port)).toEqual([13]);
    expect(sw.walk(request(p + 1)).outputs.map((o) => o.port)).toEqual([12]);
  });

  it('does not hash again what conntrack calls invalid but has translated', () => {
    const { trk, inv, dnat } = { trk: 32, inv: 16, dnat: 128 };
    expect(tables(sw.walk(request(40000), { ctNext: [trk | inv | dnat] }))).toEqual([
      0, 1, 2, 10, 10, 20, 21,
    ]);
    const unknown = sw.walk(request(40000), { ctNext: [trk | inv] });
    expect(tables(unknown)).toEqual([0, 1, 2, 10, 10, 11, 12, 20, 21]);
    expect(sw.conntrack.count(1)).toBe(0);
  });
});

describe('tenants with equal addresses', () => {
  it('have connections, entries and members apart', () => {
    for (const [id, first] of [
      [1, 11],
      [2, 21],
    ] as const)
      for (let p = 41000; p < 41030; p++)
        for (const o of sw.walk(request(p, first)).outputs) expect(Math.floor(o.port / 10)).toBe(id);
    expect([sw.conntrack.count(1), sw.conntrack.count(2)]).toEqual([30, 30]);
    const learned = sw.tables.flows(25).filter((f) => f.idleTimeout);
    expect(learned.map((f) => f.cookie >> 48n).sort()).toEqual([1n, 2n]);
  });

  it('flood in their own segment', () => {
    const hello = (inPort: number) =>
      sw.walk(
        `in_port=${inPort},${CLIENT},dl_dst=ff:ff:ff:ff:ff:ff,arp,arp_op=1,arp_spa=10.20.0.10,arp_tpa=10.20.0.77`,
      );
    expect(hello(11).outputs.map((o) => o.port)).toEqual([12]);
    expect(hello(21).outputs.map((o) => o.port)).toEqual([22]);
  });

  it('are told apart by VLAN on a trunk, and sent back with it', () => {
    for (const id of [1, 2]) {
      const walk = sw.walk(
        `in_port=31,dl_vlan=${100 + id},${CLIENT},dl_dst=ff:ff:ff:ff:ff:ff,arp,arp_op=1,arp_spa=10.30.0.10,arp_tpa=10.30.0.1`,
      );
      expect(walk.outputs.map((o) => [o.port, o.packet.get(F.vlan_vid)])).toEqual([
        [31, BigInt(0x1000 | (100 + id))],
      ]);
      expect(walk.rules.at(-2)!.cookie >> 48n).toBe(BigInt(id));
    }
    expect(sw.walk(`in_port=31,dl_vlan=999,${CLIENT},dl_dst=ff:ff:ff:ff:ff:ff`).outputs).toEqual([]);
    expect(sw.walk(`in_port=11,dl_vlan=101,${CLIENT},dl_dst=ff:ff:ff:ff:ff:ff`).outputs).toEqual([]);
  });
});

describe('an external network', () => {
  const outside = (vip: string, sport = 50000) =>
    `in_port=30,dl_src=02:00:00:00:05:50,dl_dst=02:00:c0:a8:05:01,tcp,nw_src=192.168.5.50,nw_dst=${vip},nw_ttl=64,tp_src=${sport},tp_dst=80`;
  const answer = (id: number, host: string, segmentId: number, sport = 50000) =>
    `in_port=${id * 10 + segmentId},dl_src=02:00:00:00:00:01,dl_dst=02:42:0a:00:00:0${segmentId},tcp,nw_src=${host},nw_dst=192.168.5.50,nw_ttl=64,tp_src=8080,tp_dst=${sport}`;

  it.each([1, 2])('serves tenant %i both ways', (id) => {
    const there = sw.walk(outside(`192.168.5.3${id}`));
    const [out] = there.outputs;
    const host = out!.port % 10 === 2 ? '10.20.0.2' : '10.30.0.2';
    expect(Math.floor(out!.port / 10)).toBe(id);
    const back = sw.walk(answer(id, host, out!.port % 10));
    expect(back.outputs.map((o) => o.port)).toEqual([30]);
    expect(values(back, F.nw_src, F.tcp_src, F.dl_src, F.dl_dst)).toEqual([
      [BigInt(ip(`192.168.5.3${id}`)), 80n, mac('02:00:c0:a8:05:01'), mac('02:00:00:00:05:50')],
    ]);
    expect(sw.conntrack.count(id)).toBe(id === 1 ? 1 : 0);
  });

  it('is reached by nothing but answers', () => {
    sw.walk(outside('192.168.5.31'));
    const direct = sw.walk(
      `in_port=11,${CLIENT},${GATEWAY},tcp,nw_src=10.20.0.10,nw_dst=192.168.5.50,nw_ttl=64,tp_src=1,tp_dst=2`,
    );
    // The tenant's own default route, not the external network.
    expect(direct.outputs).toEqual([]);
    expect(direct.punts).toHaveLength(1);
    expect(direct.punts[0]!.packet.get(F.reg3)).toBe(1n);
  });

  it('routes nothing through, and asks of nobody but the VIP', () => {
    const through = sw.walk(outside('192.168.5.99'));
    expect(through.outputs).toEqual([]);
    expect(dropOf(through.rules.at(-1)!)?.reason).toBe('not-a-vip');
    const arp = (target: string) =>
      sw.walk(
        `in_port=30,dl_src=02:00:00:00:05:50,dl_dst=ff:ff:ff:ff:ff:ff,arp,arp_op=1,arp_spa=192.168.5.50,arp_tpa=${target}`,
      );
    expect(arp('192.168.5.31').outputs).toHaveLength(1);
    expect(arp('192.168.5.99').outputs).toEqual([]);
  });
});

describe('drops', () => {
  const reason = (walk: Walk) => {
    const drop = dropOf(walk.rules.at(-1)!);
    return drop && `${drop.reason} ${drop.owner.tenant}`;
  };
  const to = (dst: string, more: string) =>
    sw.walk(`in_port=11,${CLIENT},${GATEWAY},nw_src=10.20.0.10,nw_dst=${dst},nw_ttl=64,${more}`);

  it('say why', () => {
    expect(reason(to('10.20.0.100', 'tcp,tp_dst=81'))).toBe('listener-refuses 1');
    expect(reason(to('10.20.0.100', 'tcp,tp_dst=82'))).toBe('vip-without-listener 1');
    expect(reason(to('10.20.0.100', 'udp,tp_dst=80'))).toBe('vip-without-listener 1');
    expect(reason(sw.walk('in_port=99,arp'))).toBe('unknown-port 0');
    expect(reason(to('10.20.0.100', 'icmp,icmp_type=3'))).toBe('not-tracked 0');
    for (const f of renderPool(tenants[0]!, tenants[0]!.pools[0]!, new Set([101, 102])).flows)
      if (f.priority > 1) sw.apply({ type: 'flow_mod', command: 'delete_strict', ...f });
    expect(reason(to('10.20.0.100', 'tcp,tp_dst=80'))).toBe('empty-pool 1');
  });
});

it('a missing group or meter refuses the flow that names it', () => {
  const empty = new FakeSwitch();
  const [node] = renderNode(provider, known).filter((s) => s.groups.length > 0);
  expect(() => empty.install([{ ...node!, groups: [] }])).toThrow('OFPBAC_BAD_OUT_GROUP');
});
