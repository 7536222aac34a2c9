import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Host } from '../../../lab/host.js';
import { Lab } from '../../../lab/lab.js';
import { httpServer } from '../../../lab/services.js';
import { until } from '../../../lab/until.js';
import '../../../src/nx-extensions/index.js';
import { NeighbourTable } from '../../../src/arp/index.js';
import { type Check, HealthChecker, type Monitor } from '../../../src/hc/index.js';
import { Channel, type Connection, systemClock } from '../../../src/ofp/channel/index.js';
import { OFP13, OFP15, type OfpVersion } from '../../../src/ofp/index.js';
import { cryptoRandom, SwitchPacketIo } from '../../../src/packetio/index.js';

const PROBE = 0x0a1400fd;
const BE = 0x0a140002;
const OUR_MAC = 0x02420a140001n;
const BE_MAC = 0x020000000202n;
const SEGMENT = 2;
const monitor: Monitor = {
  type: 'TCP',
  delayMs: 300,
  timeoutMs: 200,
  maxRetries: 2,
  maxRetriesDown: 2,
  httpMethod: 'GET',
  urlPath: '/',
  httpVersion: '1.1',
  expectedCodes: [[200, 399]],
  tcpClose: 'rst',
  udpSilence: 'down',
};

/** Just enough of a pipeline by hand: two tenants with one host each, all addresses equal. */
const flows = [1, 2]
  .flatMap((tenant) => {
    const port = 10 + tenant;
    const at = `reg3=${tenant}/0xffff`;
    return [
      `table=0,in_port=${port},actions=set_field:${tenant}->reg3,set_field:${SEGMENT}->reg0,resubmit(,1)`,
      `table=1,${at},arp,arp_op=2,actions=controller(userdata=01)`,
      `table=1,${at},ip,nw_dst=10.20.0.253,actions=controller(userdata=03)`,
      `table=20,${at},ip,actions=move:NXM_OF_IP_DST[]->NXM_NX_REG6[],resubmit(,21)`,
      `table=21,priority=0,${at},actions=controller(userdata=04)`,
      `table=25,priority=0,${at},actions=output:${port}`,
    ];
  })
  .join('\n');
const adjacency = (tenant: number) =>
  `table=21,priority=100,ip,reg3=${tenant}/0xffff,reg0=${SEGMENT}/0xffff,reg6=${BE},actions=set_field:02:00:00:00:02:02->eth_dst,output:${10 + tenant}`;

let lab: Lab;
let hosts: Host[];
beforeAll(async () => {
  lab = await Lab.create();
  await lab.addBridge();
  hosts = [];
  for (const [n, name] of ['a', 'b'].entries()) {
    const host = { name, addresses: ['10.20.0.2/24'], mac: '02:00:00:00:02:02', ofport: 11 + n };
    hosts.push(await lab.addHost(host));
  }
});
afterAll(() => lab.close());

describe.each([
  ['OpenFlow 1.3', OFP13],
  ['OpenFlow 1.5', OFP15],
] as [string, OfpVersion][])('%s', (_, version) => {
  let channel: Channel;
  let io: SwitchPacketIo;
  let arp: NeighbourTable;
  let hc: HealthChecker;

  beforeAll(async () => {
    io = new SwitchPacketIo({ clock: { ...systemClock, defer: (fn) => setImmediate(fn) } });
    arp = new NeighbourTable({ io, clock: systemClock, random: cryptoRandom });
    hc = new HealthChecker({ io, arp, clock: systemClock, random: cryptoRandom });
    for (const tenant of [1, 2]) {
      const subnets = [{ address: 0x0a140000, length: 24 }];
      arp.setSegments(tenant, [{ id: SEGMENT, mac: OUR_MAC, source: PROBE, subnets, own: [PROBE] }]);
    }
    channel = await Channel.open({
      listen: [{ kind: 'punix', path: join(lab.vswitch.rundir, 'br-lb.controller') }],
      connect: [],
      versions: [version],
      setup: () => [{ type: 'nx_set_packet_in_format', format: 'nxt_packet_in2' }],
      onSwitch: (connection: Connection) => io.attach(connection),
      logger: { debug: () => {}, info: () => {}, warn: () => {} },
    });
    await lab.vswitch.setController('br-lb', `unix:${join(lab.vswitch.rundir, 'br-lb.controller')}`);
    await until(() => io.link !== 0, { what: 'the switch' });
    // Not before: a bridge that gets its first controller starts with empty tables.
    await lab.vswitch.ofctl('br-lb', ['--bundle', 'replace-flows', '-'], flows);
  });
  afterAll(() => {
    hc.setChecks(1, []);
    hc.setChecks(2, []);
    channel.close('done');
  });

  const check = (tenant: number, m: Partial<Monitor>, port = 8080): Check => ({
    poolId: tenant,
    endpointId: tenant,
    address: BE,
    port,
    segment: SEGMENT,
    segmentName: 't/p2',
    nextHop: BE,
    source: PROBE,
    sourceMac: OUR_MAC,
    monitor: { ...monitor, ...m },
  });
  const row = (tenant: number) => hc.status().find((r) => r.tenant === tenant)!;

  it('finds the neighbours of both tenants, each on its own port', async () => {
    for (const tenant of [1, 2]) arp.setTargets(tenant, [{ segment: SEGMENT, address: BE }]);
    await until(() => arp.snapshot().every((r) => r.state === 'REACHABLE'), { what: 'ARP answers' });
    expect(arp.snapshot()).toMatchObject([
      { tenant: 1, mac: BE_MAC, ofport: 11 },
      { tenant: 2, mac: BE_MAC, ofport: 12 },
    ]);
  });

  it('probes reach members whose adjacency is not in the switch yet, by way of the miss', async () => {
    const server = await httpServer(hosts[0]!);
    hc.setChecks(1, [check(1, {})]);
    hc.setChecks(2, [check(2, {})]);
    await until(() => row(1).status === 'ONLINE' && row(2).status === 'ERROR', { what: 'verdicts' });
    expect(row(2).reason).toBe('connect refused');
    expect(arp.counters.forwarded).toBeGreaterThan(0);
    await lab.vswitch.ofctl('br-lb', ['add-flows', '-'], [adjacency(1), adjacency(2)].join('\n'));
    const before = io.counters.classes.nextHop.received;
    await until(() => row(1).rise > 4, { what: 'more probes' });
    expect(io.counters.classes.nextHop.received - before).toBeLessThanOrEqual(2);
    const sockets = await hosts[0]!.exec(['ss', '-Htan', 'state', 'syn-recv']);
    expect(sockets.stdout).toBe('');
    await server.stop();
  });

  it.each([
    ['HTTP', { type: 'HTTP' }, /^HTTP 200$/],
    ['HTTP with a full close', { type: 'HTTP', tcpClose: 'fin' }, /^HTTP 200$/],
    ['HTTP with another code', { type: 'HTTP', expectedCodes: [[204, 204]] }, /^HTTP 200, expected 204$/],
    ['TCP with a full close', { tcpClose: 'fin' }, /^connected$/],
    ['PING', { type: 'PING' }, /^replied$/],
    ['UDP to a closed port', { type: 'UDP-CONNECT' }, /^ICMP port unreachable from 10.20.0.2$/],
  ] as [string, Partial<Monitor>, RegExp][])('%s against a kernel and nginx', async (_name, m, reason) => {
    const server = await httpServer(hosts[1]!);
    hc.setChecks(2, [check(2, m)]);
    await until(() => row(2).lastProbeMs !== undefined && reason.test(row(2).reason), { what: `${reason}` });
    await until(() => hc.gauges().inFlight === 0, { what: 'the end of the connection' });
    await server.stop();
  });
});
