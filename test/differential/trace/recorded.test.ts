import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OFP15 } from '../../../src/ofp/index.js';
import { unixctl } from '../../../src/ovs/index.js';
import { ctNextArguments } from '../../../src/trace/index.js';
import {
  RECORDING,
  type Recorded,
  readRecording,
  stable,
  writeRecording,
} from '../../golden/trace/recording.js';
import { CASES, flowFor, known, PORTS, provider, tenants } from '../../golden/trace/scene.js';
import { World } from '../pipeline/world.js';

/** The traces that explanations are tested with are those of a real switch with the rules of today. */

let world: World;
beforeAll(async () => {
  world = await World.create();
  for (const [name, ofport] of Object.entries(PORTS))
    await world.lab.vswitch.vsctl(
      `add-port br-lb ${name} -- set interface ${name} type=internal ofport_request=${ofport}`.split(' '),
    );
  await world.connect(OFP15);
  await world.install(tenants, provider, known);
}, 60_000);
afterAll(() => world.close());

it('a real switch says what was recorded (`UPDATE_GOLDEN=1` records again)', async () => {
  const { vswitch } = world.lab;
  const socket = join(vswitch.rundir, `ovs-vswitchd.${vswitch.pid}.ctl`);
  const vswitchd = unixctl({ socket });
  const said = new Map<string, Recorded>();
  for (const c of CASES) {
    const { flow } = await flowFor(c);
    const raw = await vswitchd.call('ofproto/trace', 'br-lb', flow, ...ctNextArguments(c.ctNext ?? []));
    said.set(c.name, { flow, raw: stable(raw) });
  }
  if (process.env.UPDATE_GOLDEN) writeFileSync(RECORDING, writeRecording(said));
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(readRecording()));
}, 60_000);
