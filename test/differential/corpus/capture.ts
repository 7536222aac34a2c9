import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CaptureListener } from '../../../lab/capture-listener.js';
import { run } from '../../../lab/process.js';
import { flowSamples } from './flows.js';
import { type CommandSample, commandSamples, groupSamples, groupSamples15, meterSamples } from './others.js';

/** OpenFlow version as in `OpenFlow13`. */
export type VersionName = 13 | 14 | 15;
export const VERSIONS: readonly VersionName[] = [13, 14, 15];

/** A message that ovs-ofctl sent, and what it was told to do. */
export interface CorpusMessage {
  readonly version: VersionName;
  /** The line of a file, or the arguments. */
  readonly text: string;
  /** `flow`, `group`, `meter` or `command`; `bundle` where the text's message is inside a bundle. */
  readonly kind: 'flow' | 'group' | 'meter' | 'command' | 'bundle';
  readonly bytes: Uint8Array;
}

const OFPT = { EXPERIMENTER: 4, FLOW_MOD: 14, GROUP_MOD: 15, METER_MOD: 29, BUNDLE_ADD: 34 };

/** Gives ovs-ofctl all samples in one version and returns what it sent, without repetitions. */
export async function captureCorpus(version: VersionName): Promise<CorpusMessage[]> {
  const directory = mkdtempSync(join(tmpdir(), 'corpus-'));
  const listener = await CaptureListener.listen();
  try {
    const all = [
      ...(await flows(listener, version, directory)),
      ...(await bundledFlows(listener, version, directory)),
      ...(await groups(listener, version, directory)),
      ...(await commands(listener, version)),
      ...(await monitors(version)),
    ];
    return distinct(all);
  } finally {
    await listener.close();
    rmSync(directory, { recursive: true });
  }
}

async function flows(
  listener: CaptureListener,
  version: VersionName,
  directory: string,
): Promise<CorpusMessage[]> {
  await addFlows(listener, version, directory, []);
  const mods = listener.take().filter((m) => m[1] === OFPT.FLOW_MOD);
  return pair(version, 'flow', flowSamples, mods);
}

async function bundledFlows(
  listener: CaptureListener,
  version: VersionName,
  directory: string,
): Promise<CorpusMessage[]> {
  await addFlows(listener, version, directory, ['--bundle']);
  const messages = listener.take();
  const adds = messages.filter(isBundleAdd);
  const controls = messages.filter((m) => !isBundleAdd(m));
  return [
    ...pair(version, 'bundle', flowSamples, adds),
    ...controls.map((bytes): CorpusMessage => ({ version, text: '--bundle', kind: 'command', bytes })),
  ];
}

async function addFlows(
  listener: CaptureListener,
  version: VersionName,
  directory: string,
  options: readonly string[],
): Promise<void> {
  const file = join(directory, 'flows');
  writeFileSync(file, `${flowSamples.join('\n')}\n`);
  await ofctl(version, [...options, 'add-flows', listener.target, file]);
}

async function groups(
  listener: CaptureListener,
  version: VersionName,
  directory: string,
): Promise<CorpusMessage[]> {
  const samples = version === 15 ? [...groupSamples, ...groupSamples15] : groupSamples;
  const file = join(directory, 'groups');
  writeFileSync(file, `${samples.join('\n')}\n`);
  await ofctl(version, ['add-groups', listener.target, file]);
  const plain = listener.take().filter((m) => m[1] === OFPT.GROUP_MOD);
  await ofctl(version, ['--bundle', 'add-groups', listener.target, file]);
  const bundled = listener.take().filter(isBundleAdd);
  return [...pair(version, 'group', samples, plain), ...pair(version, 'bundle', samples, bundled)];
}

async function commands(listener: CaptureListener, version: VersionName): Promise<CorpusMessage[]> {
  const out: CorpusMessage[] = [];
  for (const sample of [...meterSamples, ...commandSamples]) {
    if (isMonitor(sample) || !(sample.versions ?? VERSIONS).includes(version)) continue;
    await ofctl(version, withTarget(sample, listener), true);
    const text = sample.argv.filter((a) => a !== '@').join(' ');
    for (const bytes of listener.take())
      out.push({ version, text, kind: bytes[1] === OFPT.METER_MOD ? 'meter' : 'command', bytes });
  }
  return out;
}

/** They stay until their time is over: all at once, each with its own listener. */
async function monitors(version: VersionName): Promise<CorpusMessage[]> {
  const samples = commandSamples.filter((s) => isMonitor(s) && (s.versions ?? VERSIONS).includes(version));
  const each = samples.map(async (sample) => {
    const listener = await CaptureListener.listen();
    await ofctl(version, ['-t', '1', ...withTarget(sample, listener)], true);
    const text = sample.argv.filter((a) => a !== '@').join(' ');
    const messages = listener
      .take()
      .map((bytes): CorpusMessage => ({ version, text, kind: 'command', bytes }));
    await listener.close();
    return messages;
  });
  return (await Promise.all(each)).flat();
}

function isMonitor(sample: CommandSample): boolean {
  return sample.argv.includes('monitor');
}

function withTarget(sample: CommandSample, listener: CaptureListener): string[] {
  return sample.argv.map((a) => (a === '@' ? listener.target : a)).filter((a) => a !== '');
}

/** Not every command is content with the empty replies of the listener; what it asked counts. */
async function ofctl(version: VersionName, argv: readonly string[], allowFailure = false): Promise<void> {
  await run(['ovs-ofctl', '--no-names', '-O', `OpenFlow${version}`, ...argv], { allowFailure });
}

/** OFPT_BUNDLE_ADD_MESSAGE, or ONF's extension 230 before 1.4. */
function isBundleAdd(message: Uint8Array): boolean {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  if (message[1] === OFPT.BUNDLE_ADD) return true;
  return message[1] === OFPT.EXPERIMENTER && view.getUint32(8) === 0x4f4e4600 && view.getUint32(12) === 2301;
}

function pair(
  version: VersionName,
  kind: CorpusMessage['kind'],
  samples: readonly string[],
  messages: readonly Uint8Array[],
): CorpusMessage[] {
  if (samples.length !== messages.length)
    throw new Error(`${samples.length} ${kind} texts gave ${messages.length} messages of OpenFlow${version}`);
  return samples.map((text, i) => ({ version, text, kind, bytes: messages[i]! }));
}

/** Transaction ids count up and are no difference. */
function distinct(messages: readonly CorpusMessage[]): CorpusMessage[] {
  const seen = new Set<string>();
  return messages.filter(({ bytes }) => {
    const key = Buffer.from(withoutXid(bytes)).toString('latin1');
    return !seen.has(key) && seen.add(key);
  });
}

function withoutXid(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  copy.fill(0, 4, 8);
  const inner = isBundleAdd(copy) ? (copy[1] === OFPT.BUNDLE_ADD ? 16 : 24) : undefined;
  if (inner !== undefined) copy.fill(0, inner + 4, inner + 8);
  return copy;
}
