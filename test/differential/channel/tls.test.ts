import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../../lab/until.js';
import type { TlsFiles } from '../../../src/ofp/channel/types.js';
import { Authority } from './certificates.js';
import { active, Fixture } from './fixture.js';
import { slotFlows } from './slot-flows.js';

const fixture = new Fixture();
let ours: Authority;
let theirs: Authority;

beforeAll(async () => {
  await fixture.start();
  [ours, theirs] = await Promise.all([
    Authority.create(join(fixture.ovs.dir, 'ours')),
    Authority.create(join(fixture.ovs.dir, 'theirs')),
  ]);
}, 60_000);
afterAll(() => fixture.stop());
afterEach(async () => {
  await fixture.reset();
  await fixture.ovs.vsctl(['del-ssl']);
});

const setSsl = (files: TlsFiles) =>
  fixture.ovs.vsctl(['set-ssl', files.privateKey, files.certificate, files.caCertificate]);

/** A switch with these files that connects to us; the reason for which we turn it away. */
async function refusal(files: TlsFiles): Promise<string> {
  await setSsl(files);
  await fixture.ovs.addBridge('br0');
  await fixture.ovs.setController('br0', await fixture.listen('ssl', { tls: ours.controller }));
  const line = await until(() => fixture.logged.find((l) => l.text === 'TLS refused'), { interval: 5 });
  expect(fixture.arrived).toEqual([]);
  return line.reason as string;
}

test('a switch with a certificate of our CA connects over TLS 1.2 or newer and installs a bundle', async () => {
  await setSsl(ours.switch);
  await fixture.ovs.addBridge('br0');
  await fixture.ovs.setController('br0', await fixture.listen('ssl', { tls: ours.controller }));
  const connection = await fixture.arrival();
  expect(await connection.bundle(slotFlows(1024))).toEqual({ ok: true });
  expect(await fixture.ovs.countFlows('br0')).toBe(1024);
});

test('we connect to a switch that listens with TLS', async () => {
  await setSsl(ours.switch);
  await fixture.ovs.addBridge('br0');
  const port = await freePort();
  await fixture.ovs.setController('br0', `pssl:${port}:127.0.0.1`);
  await fixture.open({ connect: [active(`ssl:127.0.0.1:${port}`)], tls: ours.controller });
  expect(await (await fixture.arrival()).bundle(slotFlows(10))).toEqual({ ok: true });
});

test('we turn away a listening switch of another CA', async () => {
  await setSsl({ ...theirs.switch, caCertificate: ours.switch.caCertificate });
  await fixture.ovs.addBridge('br0');
  const port = await freePort();
  await fixture.ovs.setController('br0', `pssl:${port}:127.0.0.1`);
  await fixture.open({ connect: [active(`ssl:127.0.0.1:${port}`)], tls: ours.controller });
  const line = await until(() => fixture.logged.find((l) => l.text === 'TLS refused'), { interval: 5 });
  expect(line.reason).toMatch(/^the peer's certificate \(.+\) is not of our CA/);
  expect(fixture.arrived).toEqual([]);
});

test('a switch with a certificate of another CA is refused', async () => {
  const reason = await refusal({ ...theirs.switch, caCertificate: ours.switch.caCertificate });
  expect(reason).toMatch(/^the peer's certificate \(.+\) is not of our CA/);
});

test('a switch with an expired certificate is refused', async () => {
  expect(await refusal(await ours.expired())).toMatch(
    /^the peer's certificate \(.+\) expired on Feb {2}1 00:00:00 2020/,
  );
});

test('a switch that does not trust our CA turns us away, and we say so', async () => {
  const reason = await refusal({ ...ours.switch, caCertificate: theirs.switch.caCertificate });
  expect(reason).toMatch(/^the peer refused our certificate or TLS settings: /);
});

test('a peer without a certificate, with TLS 1.1, or without TLS is refused', async () => {
  const target = await fixture.listen('ssl', { tls: ours.controller });
  const port = Number(target.split(':')[2]);
  const refusedWith = async (reason: RegExp) => {
    await until(() => fixture.logged.some((l) => l.text === 'TLS refused' && reason.test(String(l.reason))), {
      interval: 5,
      what: `${reason}`,
    });
    fixture.logged.length = 0;
  };
  const ca = readFileSync(ours.switch.caCertificate);
  const bare = tlsConnect({ port, host: '127.0.0.1', ca, checkServerIdentity: () => undefined });
  bare.on('error', () => {});
  await refusedWith(/^the peer showed no certificate$/);
  const old = tlsConnect({
    port,
    host: '127.0.0.1',
    ca,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  old.on('error', () => {});
  await refusedWith(/unsupported protocol/i);
  await fixture.ovs.addBridge('br0');
  await fixture.ovs.setController('br0', `tcp:127.0.0.1:${port}`);
  await refusedWith(/^the peer does not speak TLS/);
  bare.destroy();
  old.destroy();
  expect(fixture.arrived).toEqual([]);
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const channel = await fixture.listen('tcp');
  fixture.channel.close('only its port was wanted');
  return Number(channel.split(':')[2]);
}
