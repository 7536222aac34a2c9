/** IPFIX sampling. */
import type { Reader } from '../../ofp/bytes/reader.js';
import type { Writer } from '../../ofp/bytes/writer.js';
import type { ActionOf } from '../../ofp/types/action.js';
import { OFPP } from '../../ofp/types/message.js';
import { decodePort16, encodePort16 } from '../ports.js';
import { nicira } from './register.js';

/** NX_ACTION_SAMPLE_* */
const DIRECTION = { DEFAULT: 0, INGRESS: 1, EGRESS: 2 } as const;

// probability(2) collector_set_id(4) obs_domain_id(4) obs_point_id(4)
function encodeSample(w: Writer, a: ActionOf<'sample' | 'sample2' | 'sample3'>): void {
  w.u16(a.probability);
  w.u32(a.collectorSetId);
  w.u32(a.obsDomainId);
  w.u32(a.obsPointId);
}
function decodeSample(r: Reader) {
  return {
    probability: r.u16('probability'),
    collectorSetId: r.u32('collector_set_id'),
    obsDomainId: r.u32('obs_domain_id'),
    obsPointId: r.u32('obs_point_id'),
  };
}
nicira('sample', 29, 'SAMPLE', {
  encode: encodeSample,
  decode: (r) => ({ type: 'sample', ...decodeSample(r) }),
});

// As NXAST_SAMPLE, then sampling_port(2) direction(1), 0 in NXAST_SAMPLE2; zeros(5)
nicira('sample2', 38, 'SAMPLE2', {
  encode(w, a) {
    encodeSample(w, a);
    encodePort16(w, a.samplingPort ?? OFPP.ANY, 'sample2.samplingPort');
    w.zero(6);
  },
  decode(r) {
    const sample = decodeSample(r);
    const samplingPort = decodePort16(r, 'sampling_port');
    r.zero(6);
    return { type: 'sample2', ...sample, ...(samplingPort !== OFPP.ANY && { samplingPort }) };
  },
});
nicira('sample3', 41, 'SAMPLE3', {
  encode(w, a) {
    encodeSample(w, a);
    encodePort16(w, a.samplingPort ?? OFPP.ANY, 'sample3.samplingPort');
    w.u8(
      a.direction === 'ingress'
        ? DIRECTION.INGRESS
        : a.direction === 'egress'
          ? DIRECTION.EGRESS
          : DIRECTION.DEFAULT,
    );
    w.zero(5);
  },
  decode(r) {
    const sample = decodeSample(r);
    const samplingPort = decodePort16(r, 'sampling_port');
    const direction = r.u8('direction');
    r.zero(5);
    if (direction > DIRECTION.EGRESS) return undefined;
    return {
      type: 'sample3',
      ...sample,
      ...(samplingPort !== OFPP.ANY && { samplingPort }),
      ...(direction !== DIRECTION.DEFAULT && {
        direction: direction === DIRECTION.INGRESS ? ('ingress' as const) : ('egress' as const),
      }),
    };
  },
});
