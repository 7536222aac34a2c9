/** OFPT_HELLO, OpenFlow 1.3.5 §7.5.1. */
import { registerMessage } from '../registry.js';
import type { Hello } from '../types/session.js';

const OFPHET_VERSIONBITMAP = 1;

registerMessage('hello', {
  id: { standard: 0 },
  name: 'OFPT_HELLO',
  // Elements: type(2) length(2, without padding) body, padded to 8.
  encode(w, message) {
    const versions = message.versions;
    if (versions !== undefined) {
      const words = (Math.max(0, ...versions) >> 5) + 1;
      const start = w.pos;
      w.u16(OFPHET_VERSIONBITMAP);
      w.u16(4 + 4 * words);
      for (let word = 0; word < words; word++) {
        let bits = 0;
        for (const v of versions) if (v >> 5 === word) bits |= 1 << (v & 31);
        w.u32(bits >>> 0);
      }
      w.align8(start);
    }
    for (const raw of message.rawElements ?? []) w.bytes(raw);
  },
  decode(r) {
    let versions: number[] | undefined;
    const rawElements: Uint8Array[] = [];
    while (r.left > 0) {
      const start = r.pos;
      const type = r.u16('element.type');
      const length = r.u16('element.length');
      if (length < 4) throw r.fail('bad-length', `hello element of ${length} bytes`, start + 2, 'element');
      // OVS and others leave out the padding of the last element.
      const padded = Math.min((length + 7) & ~7, r.end - start);
      if (type === OFPHET_VERSIONBITMAP && versions === undefined && length > 4 && length % 4 === 0) {
        versions = [];
        for (let word = 0; word < (length - 4) / 4; word++) {
          const bits = r.u32('versions');
          for (let bit = 0; bit < 32; bit++) if ((bits >>> bit) & 1) versions.push(32 * word + bit);
        }
        r.skip(start + padded - r.pos, 'element.pad');
      } else {
        if (length > r.end - start)
          throw r.fail('truncated', `hello element of ${length} bytes`, start, 'element');
        r.pos = start;
        rawElements.push(r.bytes(padded));
      }
    }
    const hello: Hello = { type: 'hello', ...(versions && { versions }) };
    return rawElements.length > 0 ? { ...hello, rawElements } : hello;
  },
});
