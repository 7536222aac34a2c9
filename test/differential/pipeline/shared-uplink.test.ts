import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Host } from '../../../lab/host.js';
import { HttpLoad } from '../../../lab/load.js';
import { httpServer } from '../../../lab/services.js';
import { until } from '../../../lab/until.js';
import { OFP15 } from '../../../src/ofp/index.js';
import { facts, ip, listener, mac, member, pool, segment, tenant } from '../../golden/pipeline/intents.js';
import { World } from './world.js';

/** 200 tenants with a public VIP each on one uplink, and one of them with a member that is there. */
const tenants = Array.from({ length: 200 }, (_, i) =>
  tenant(i + 1, {
    segments: [segment(2, '10.20.0.0/24', i === 0 ? ['v-be'] : [])],
    listeners: [
      listener(i + 1, `192.168.5.${i + 10}:80`, 'ext:1', { poolId: i + 1 }),
      listener(i + 1001, `192.168.5.${i + 10}:81`, 'ext:1', { poolId: i + 1001, mode: 'stateless' }),
    ],
    pools: [
      pool(i + 1, [member(i + 1, '10.20.0.2:8080')], { slots: 251 }),
      pool(i + 1001, [member(i + 1001, '10.20.0.2:8081')]),
    ],
  }),
);
const provider = {
  networks: [
    segment(1, '192.168.5.0/24', ['v-ext'], {
      mac: mac('02:00:c0:a8:05:01'),
      probeAddress: ip('192.168.5.1'),
    }),
  ],
};
const known = facts({ 'v-ext': 10, 'v-be': 11 }, tenants, {
  '1/2': [{ address: ip('10.20.0.2'), mac: mac('02:00:00:00:02:02'), ofport: 11 }],
});

let world: World;
let ext: Host;
beforeAll(async () => {
  world = await World.create();
  ext = await world.host('ext', '192.168.5.250', '02:00:00:00:05:50', '192.168.5.1', 10);
  await httpServer(await world.host('be', '10.20.0.2', '02:00:00:00:02:02', '10.20.0.1', 11));
  await world.connect(OFP15);
  await world.install(tenants, provider, known);
}, 60_000);
afterAll(() => world.close());

it('answers a broadcast ARP once, whoever it is for, without a warning of the switch', async () => {
  const capture = await ext.capture({ filter: 'arp[6:2] == 2' });
  await ext.exec(['arping', '-I', 'eth0', '-c', '1', '-w', '1', '192.168.5.209'], { allowFailure: true });
  await ext.exec(['arping', '-I', 'eth0', '-c', '1', '-w', '1', '192.168.5.240'], { allowFailure: true });
  await until(() => capture.frames().length > 0, { what: 'the answer' });
  expect(await capture.stop()).toHaveLength(1);
  expect(logOf(world)).not.toMatch(/WARN.*(resubmit|translation|loop)/);
});

it('loses no connection, also after a flush of conntrack under ports that servers hold in TIME_WAIT', {
  timeout: 200_000,
}, async () => {
  // Few ports, so the second and third round meet those of the first.
  await ext.exec(['sysctl', '-qw', 'net.ipv4.ip_local_port_range=40000 41999']);
  for (let round = 0; round < 3; round++) {
    const load = await HttpLoad.start(ext, 'http://192.168.5.10/', 20, 15_000);
    await until(async () => (await load.sample()).requests > 1500, {
      what: '1500 requests',
      timeout: 60_000,
    });
    const { failed, errors } = await load.stop();
    expect([failed, errors]).toEqual([0, {}]);
    await world.lab.vswitch.flushConnections();
  }
  expect(logOf(world)).not.toMatch(/\|(WARN|ERR|EMER)\|.*(xlate|conntrack|assert)/);
});

function logOf({ lab }: World): string {
  return readFileSync(join(lab.vswitch.rundir, 'ovs-vswitchd.log'), 'utf8');
}
