/** Hostile variants of valid messages. */
import type { Random } from '../../property/ofp/random.js';

/** A copy with a few bits, bytes or 16-bit words changed, cut or extended; its length field mostly made to fit. */
export function mutate(bytes: Uint8Array, random: Random): Uint8Array {
  const extra = random.below(4) === 0 ? random.below(24) : 0;
  const out = new Uint8Array(bytes.length + extra);
  out.set(bytes);
  if (extra > 0) out.set(random.bytes(extra), bytes.length);
  for (let n = 1 + random.below(3); n > 0; n--) {
    const at = random.below(out.length);
    switch (random.below(4)) {
      case 0:
        out[at]! ^= 1 << random.below(8);
        break;
      case 1:
        out[at] = random.pick([0, 1, 4, 8, 0x7f, 0x80, 0xff]);
        break;
      case 2:
        out[at & ~1] = 0;
        if ((at | 1) < out.length) out[at | 1] = random.u8();
        break;
      default:
        out.copyWithin(at, random.below(out.length), Math.min(out.length, at + 8));
    }
  }
  const end = random.below(4) === 0 ? 1 + random.below(out.length) : out.length;
  const cut = out.subarray(0, end);
  if (end >= 4 && random.below(8) !== 0) {
    cut[2] = end >> 8;
    cut[3] = end & 0xff;
  }
  return cut;
}
