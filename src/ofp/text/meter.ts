/** Meters: `meter=1 kbps burst bands=type=drop rate=1000 burst_size=2000`. */
import type { MeterBand, MeterMod } from '../types/message.js';
import type { MeterConfig } from '../types/multipart.js';
import { formatMeterId, parseMeterId } from './ports.js';
import { required, small, TextError, type Word, words } from './scanner.js';
import { toHex } from './values.js';

const COMMANDS = { add: 'ADD', modify: 'MOD', delete: 'DEL' } as const;
const FLAGS = ['kbps', 'pktps', 'burst', 'stats'] as const;

/** `ADD meter=1 kbps bands=` and a line for each band. */
export function formatMeterMod(m: MeterMod): string {
  return `${COMMANDS[m.command]} ${formatMeter(m)}`;
}

/** A meter's configuration; each band in a line of its own. */
export function formatMeter(m: Pick<MeterConfig, 'meterId' | 'flags' | 'bands'>): string {
  const flags = FLAGS.filter((f) => m.flags.includes(f)).map((f) => `${f} `);
  const bands = m.bands.map((b) => `${formatBand(b, m.flags.includes('burst'))}\n`);
  return `meter=${formatMeterId(m.meterId)} ${flags.join('')}bands=\n${bands.join('')}`;
}

function formatBand(b: MeterBand, burst: boolean): string {
  let s = `type=${b.type} rate=${b.rate}`;
  if (burst) s += ` burst_size=${b.burst ?? 0}`;
  if (b.type === 'dscp_remark') s += ` prec_level=${b.precLevel}`;
  if (b.type === 'experimenter')
    s += ` experimenter=0x${b.experimenter.toString(16)} body=0x${toHex(b.body)}`;
  return s;
}

/** Parses a meter as `ovs-ofctl add-meter` takes it. */
export function parseMeter(text: string, command: MeterMod['command'] = 'add'): MeterMod {
  const found = /(?<![^\s,])bands?\s*=\s*/.exec(text);
  const head = found ? text.slice(0, found.index) : text;
  let meterId: number | undefined;
  const flags = new Set<(typeof FLAGS)[number]>();
  for (const w of words(head)) {
    const flag = FLAGS.find((f) => f === w.key);
    if (flag && w.value === undefined) flags.add(flag);
    else if (w.key === 'meter') meterId = parseMeterId(required(w), w.valueAt);
    else throw new TextError(w.at + 1, `unknown keyword "${w.key}"`);
  }
  if (meterId === undefined && command !== 'delete') throw new TextError(1, 'meter=… expected');
  if (!flags.has('kbps') && !flags.has('pktps') && command !== 'delete')
    throw new TextError(1, 'kbps or pktps expected');
  const from = found ? found.index + found[0].length : text.length;
  return {
    type: 'meter_mod',
    command,
    meterId: meterId ?? 0xffffffff,
    flags: FLAGS.filter((f) => flags.has(f)),
    bands: parseBands(words(text.slice(from), from)),
  };
}

function parseBands(all: readonly Word[]): MeterBand[] {
  const groups: Word[][] = [];
  for (const w of all) {
    if (w.key === 'type') groups.push([w]);
    else if (groups.length === 0) throw new TextError(w.at + 1, 'a band begins with type=…');
    else groups.at(-1)!.push(w);
  }
  return groups.map(parseBand);
}

function parseBand(all: readonly Word[]): MeterBand {
  const [type, ...rest] = all;
  const values: Record<string, number> = {};
  for (const w of rest) values[w.key] = small(required(w), w.valueAt, 0xffffffff, w.key);
  const rate = values.rate ?? 0;
  if (rate === 0) throw new TextError(type!.at + 1, 'a band needs rate=…');
  const burst = values.burst_size ?? values.burst;
  const common = { rate, ...(burst === undefined ? {} : { burst }) };
  if (type!.value === 'drop') return { type: 'drop', ...common };
  if (type!.value === 'dscp_remark')
    return { type: 'dscp_remark', ...common, precLevel: values.prec_level ?? 0 };
  throw new TextError(type!.valueAt + 1, `"${type!.value}" is not one of drop dscp_remark`);
}
