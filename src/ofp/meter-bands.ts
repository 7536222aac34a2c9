/** Meter flags and bands, OpenFlow 1.3.5 §7.3.4.4. */
import { OfpEncodeError } from './bytes/errors.js';
import type { Reader } from './bytes/reader.js';
import type { Writer } from './bytes/writer.js';
import type { MeterBand, MeterMod } from './types/message.js';

type Flags = MeterMod['flags'];
const FLAGS = ['kbps', 'pktps', 'burst', 'stats'] as const;
const DROP = 1;
const DSCP_REMARK = 2;
const EXPERIMENTER = 0xffff;

export function encodeMeterFlags(flags: Flags): number {
  let bits = 0;
  for (const f of flags) bits |= 1 << FLAGS.indexOf(f);
  return bits;
}

export function decodeMeterFlags(r: Reader): Flags {
  const bits = r.u16('flags');
  if (bits > 15) throw r.fail('bad-value', `meter flags 0x${bits.toString(16)}`, r.pos - 2, 'flags');
  return FLAGS.filter((_, i) => (bits >> i) & 1);
}

// type(2) len(2) rate(4) burst_size(4), then pad(4) | prec_level(1) pad(3) | experimenter(4) body
export function encodeBands(w: Writer, bands: readonly MeterBand[]): void {
  for (const b of bands) {
    const start = w.pos;
    w.word((b.type === 'drop' ? DROP : b.type === 'dscp_remark' ? DSCP_REMARK : EXPERIMENTER) << 16);
    w.u32(b.rate);
    w.u32(b.burst ?? 0);
    if (b.type === 'drop') w.u32(0);
    else if (b.type === 'dscp_remark') {
      w.u8(b.precLevel);
      w.zero(3);
    } else {
      if (b.body.length % 8 !== 0)
        throw new OfpEncodeError('out-of-range', 'band.body', 'not a multiple of 8 bytes');
      w.u32(b.experimenter);
      w.bytes(b.body);
    }
    w.patchLength16(start + 2, start, 'band');
  }
}

/** Bands up to the end of `r`. */
export function decodeBands(r: Reader): MeterBand[] {
  const bands: MeterBand[] = [];
  while (r.pos < r.end) {
    const start = r.pos;
    const type = r.u16('bands');
    const length = r.u16('bands');
    if (length < 16 || length % 8 !== 0)
      throw r.fail('bad-length', `band length ${length}`, start + 2, `bands[${bands.length}].len`);
    const outer = r.enter(length - 4, 'bands', bands.length);
    bands.push(decodeBand(r, type));
    if (r.pos !== r.end) throw r.fail('bad-length', `${r.left} bytes too many`);
    r.leave(outer);
  }
  return bands;
}

function decodeBand(r: Reader, type: number): MeterBand {
  const rate = r.u32('rate');
  const size = r.u32('burst_size');
  const burst = size === 0 ? {} : { burst: size };
  switch (type) {
    case DROP:
      r.zero(4);
      return { type: 'drop', rate, ...burst };
    case DSCP_REMARK: {
      const precLevel = r.u8('prec_level');
      r.zero(3);
      return { type: 'dscp_remark', rate, ...burst, precLevel };
    }
    case EXPERIMENTER:
      return { type: 'experimenter', rate, ...burst, experimenter: r.u32('experimenter'), body: r.rest() };
    default:
      throw r.fail('bad-value', `meter band type ${type}`, r.pos, 'type');
  }
}
