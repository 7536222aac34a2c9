import { existsSync, readFileSync } from 'node:fs';

/** What a real switch said to each question; made by `UPDATE_GOLDEN=1 npx vitest run test/differential/trace`. */
export const RECORDING = new URL('./recorded.txt', import.meta.url);

export interface Recorded {
  readonly flow: string;
  readonly raw: string;
}

const HEAD = '######## ';

export function readRecording(): Map<string, Recorded> {
  const recorded = new Map<string, Recorded>();
  if (!existsSync(RECORDING)) return recorded;
  for (const part of readFileSync(RECORDING, 'utf8').split(HEAD).slice(1)) {
    const [name, flow, ...raw] = part.split('\n');
    recorded.set(name!, { flow: flow!, raw: raw.join('\n') });
  }
  return recorded;
}

export function writeRecording(recorded: ReadonlyMap<string, Recorded>): string {
  return [...recorded].map(([name, { flow, raw }]) => `${HEAD}${name}\n${flow}\n${raw}`).join('');
}

/** Without what the switch counts up, or puts in any order. */
export function stable(raw: string): string {
  return raw
    .replaceAll(/recirc\(0x[0-9a-f]+\)/g, 'recirc(0x1)')
    .replaceAll(/recirc_id=(0x)?[0-9a-f]+/g, 'recirc_id=0x1')
    .replaceAll(/meter\(\d+\)/g, 'meter(1)')
    .replaceAll(/^(Megaflow|Datapath actions): .*$/gm, '$1: -');
}
