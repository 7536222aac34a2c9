import { describe, expect, it } from 'vitest';
import { egressOf } from '../../../src/model/index.js';
import { renderEndpoint, renderSegment, renderTenantRules } from '../../../src/pipeline/index.js';
import { FakeSwitch } from '../../fake-switch/fake-switch.js';
import {
  facts,
  ip,
  member,
  NO_PROVIDER,
  pool,
  prefix,
  segment,
  tenant,
} from '../../golden/pipeline/intents.js';

/** p1 is 10.0.0.0/16 as a whole, but 10.0.9.0/24 of it lies behind a router in p2. */
const T = tenant(7, {
  segments: [segment(1, '10.0.0.0/16', ['v1']), segment(2, '10.2.0.0/24', ['v2'])],
  routes: [
    { destination: prefix('10.0.9.0/24'), nextHop: ip('10.2.0.9'), segmentId: 2 },
    { destination: prefix('10.2.0.0/24'), nextHop: ip('10.0.0.9'), segmentId: 1 },
    { destination: prefix('0.0.0.0/0'), nextHop: ip('10.0.0.254'), segmentId: 1 },
  ],
  pools: [pool(1, [member(1, '10.0.9.2:8080'), member(2, '10.0.1.2:8080')])],
});

const plain = (value: unknown) =>
  JSON.stringify(value, (key, v) => (key === 'field' ? v.name : typeof v === 'bigint' ? `${v}` : v));

const way = (address: string) => {
  const egress = egressOf(T, ip(address));
  return egress && [egress.segment.id, egress.nextHop];
};

describe('the way to an address', () => {
  it('is that of the longest prefix, connected or not', () => {
    expect(way('10.0.9.2')).toEqual([2, ip('10.2.0.9')]);
    expect(way('10.0.1.2')).toEqual([1, ip('10.0.1.2')]);
  });

  it('is the connected one where a route is as long', () => {
    expect(way('10.2.0.7')).toEqual([2, ip('10.2.0.7')]);
  });

  it('is the default route, or none', () => {
    expect(way('192.0.2.1')).toEqual([1, ip('10.0.0.254')]);
    expect(egressOf({ ...T, routes: [] }, ip('192.0.2.1'))).toBeUndefined();
  });

  it('is the one that the rules of table 20 take', () => {
    const sw = new FakeSwitch();
    const ports = facts({ v1: 1, v2: 2 }, [T]);
    sw.install([renderTenantRules(T, NO_PROVIDER), ...T.segments.map((s) => renderSegment(T, s, ports))]);
    for (const address of ['10.0.9.2', '10.0.1.2', '10.2.0.7', '192.0.2.1']) {
      const { rules } = sw.walk(`ip,reg3=7,reg0=9,nw_dst=${address},nw_ttl=9`, {}, 20);
      const segmentId = egressOf(T, ip(address))!.segment.id;
      expect(plain(rules[0]!.instructions)).toContain(`"field":"reg0","value":${segmentId}}`);
    }
  });

  it('decides where a member opens its own VIP', () => {
    const endpoint = (id: number, address: string) =>
      plain(
        renderEndpoint(
          T,
          { id, address: ip(address), port: 8080, listeners: [LISTENER] },
          NO_PROVIDER,
        ).flows.filter((f) => f.table === 12 && f.priority === 110),
      );
    expect(endpoint(1, '10.0.9.2')).toContain('"field":"reg0","value":2');
    expect(endpoint(2, '10.0.1.2')).toContain('"field":"reg0","value":1');
  });
});

const LISTENER = {
  id: 1,
  name: 'l',
  loadBalancer: 'lb',
  vip: ip('10.0.0.100'),
  at: { kind: 'segment', segmentId: 1 },
  protocol: 'TCP',
  port: 80,
  mode: 'stateful',
  poolId: 1,
  allowedCidrs: [],
  adminStateUp: true,
} as const;
