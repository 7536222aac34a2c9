import fc from 'fast-check';
import { F, regs, sub, xregs, xxregs } from '../../../src/nx-extensions/index.js';
import { type Action, type Field, type FieldValue, OFPP, type Subfield } from '../../../src/ofp/index.js';

/** Fields that can be written, read and loaded without prerequisites. */
const loadable: readonly Field[] = [
  ...regs,
  ...xregs,
  ...xxregs,
  F.metadata,
  F.tun_id,
  F.pkt_mark,
  F.dl_dst,
  F.dl_src,
  F.tun_src,
  F.tun_ipv6_dst,
];
const field = fc.constantFrom(...loadable);
const u8 = fc.integer({ min: 0, max: 0xff });
const u16 = fc.integer({ min: 0, max: 0xffff });
const u32 = fc.nat(0xffffffff);
const u64 = fc.bigInt(0n, 0xffff_ffff_ffff_ffffn);
const port = fc.oneof(fc.integer({ min: 1, max: 0xfeff }), fc.constantFrom(OFPP.IN_PORT, OFPP.LOCAL));

function subfield(max = 64, min = 1): fc.Arbitrary<Subfield> {
  return field.chain((f) =>
    fc
      .integer({ min: Math.min(min, f.nBits), max: Math.min(max, f.nBits) })
      .chain((n) => fc.integer({ min: 0, max: f.nBits - n }).map((ofs) => sub(f, ofs, n))),
  );
}
function value(f: Field, nBits: number): fc.Arbitrary<FieldValue> {
  return f.nBytes > 4 ? fc.bigInt(0n, (1n << BigInt(nBits)) - 1n) : fc.nat(2 ** nBits - 1);
}
const withValue = (max: number) =>
  subfield(max).chain((dst) => value(dst.field, dst.nBits).map((v) => ({ dst, value: v })));
const pair = fc.tuple(subfield(128), subfield(128)).map(([a, b]) => {
  const n = Math.min(a.nBits, b.nBits);
  return { src: sub(a.field, a.ofs, n), dst: sub(b.field, b.ofs, n) };
});
const zone = fc.oneof(
  u16,
  fc.constantFrom(...regs).map((f) => sub(f, 0, 16)),
);
const hash = fc.constantFrom(
  'eth_src',
  'symmetric_l4',
  'symmetric_l3l4',
  'symmetric_l3l4+udp',
  'nw_src',
  'nw_dst',
  'symmetric_l3',
) as fc.Arbitrary<'eth_src'>;

const spec = fc.oneof(
  pair.map((p) => ({ type: 'match' as const, ...p })),
  pair.map((p) => ({ type: 'load' as const, ...p })),
  withValue(128).map((p) => ({ type: 'match' as const, ...p })),
  withValue(128).map((p) => ({ type: 'load' as const, ...p })),
  subfield(32).map((src) => ({ type: 'output' as const, src })),
);
const learn = {
  idleTimeout: u16,
  hardTimeout: u16,
  finIdleTimeout: u16,
  finHardTimeout: u16,
  priority: u16,
  cookie: u64,
  table: fc.integer({ min: 0, max: 254 }),
  sendFlowRem: fc.boolean(),
  deleteLearned: fc.boolean(),
  specs: fc.array(spec, { maxLength: 6 }),
};
const sample = {
  probability: fc.integer({ min: 1, max: 0xffff }),
  collectorSetId: u32,
  obsDomainId: u32,
  obsPointId: u32,
};

/** What `T` with a constant type says. */
const action = <T extends Action['type']>(type: T, fields: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record({ type: fc.constant(type), ...fields }) as unknown as fc.Arbitrary<Action>;

/** Actions that are decoded as they were given, in OpenFlow 1.3 and 1.5. */
export const plainAction: fc.Arbitrary<Action> = fc.oneof(
  action('resubmit', { port }),
  action('resubmit_table', { port, table: u8 }),
  action('resubmit_table_ct', { port, table: fc.integer({ min: 0, max: 254 }) }),
  action('output_reg', { src: subfield(16), maxLen: u16 }),
  action('output_trunc', {
    port: fc.integer({ min: 1, max: 0xfeff }),
    maxLen: fc.integer({ min: 14, max: 0xffffffff }),
  }),
  action('note', {
    data: fc.nat(3).chain((n) => fc.uint8Array({ minLength: 6 + 8 * n, maxLength: 6 + 8 * n })),
  }),
  subfield(32, 16).chain((dst) =>
    action('multipath', {
      fields: hash,
      basis: u16,
      algorithm: fc.constantFrom('modulo_n', 'hash_threshold', 'hrw', 'iter_hash'),
      nLinks: fc.integer({ min: 1, max: 65536 }).map((n) => Math.min(n, 2 ** dst.nBits)),
      arg: u32,
      dst: fc.constant(dst),
    }),
  ),
  action('bundle', {
    fields: hash,
    basis: u16,
    algorithm: fc.constantFrom('active_backup', 'hrw'),
    members: fc.array(fc.integer({ min: 1, max: 0xfeff }), { minLength: 1, maxLength: 9 }),
  }),
  action('bundle_load', {
    fields: hash,
    basis: u16,
    algorithm: fc.constantFrom('active_backup', 'hrw'),
    members: fc.array(fc.integer({ min: 1, max: 0xfeff }), { minLength: 1, maxLength: 9 }),
    dst: subfield(32, 16),
  }),
  action('learn', learn),
  fc
    .record({ ...learn, limit: u32, resultDst: fc.option(subfield(1), { nil: undefined }) })
    .map(
      ({ resultDst, ...rest }) => ({ type: 'learn2', ...rest, ...(resultDst && { resultDst }) }) as Action,
    ),
  fc
    .integer({ min: 2, max: 64 })
    .chain((n) =>
      action('conjunction', { id: u32, clause: fc.integer({ min: 1, max: n }), nClauses: fc.constant(n) }),
    ),
  action('exit'),
  action('dec_ttl_cnt_ids', { ids: fc.array(u16, { minLength: 1, maxLength: 6 }) }),
  action('controller', {
    maxLen: u16,
    controllerId: u16,
    reason: fc.constantFrom('table_miss', 'apply_action'),
  }),
  fc
    .record(
      {
        maxLen: fc.nat(0xfffe),
        controllerId: fc.integer({ min: 1, max: 0xffff }),
        reason: fc.constantFrom('table_miss' as const, 'invalid_ttl' as const),
        userdata: fc.uint8Array({ minLength: 1, maxLength: 20 }),
        pause: fc.constant(true),
        meterId: fc.integer({ min: 1, max: 0xffff }),
      },
      { requiredKeys: [] },
    )
    .map((a) => ({ type: 'controller2', ...a }) as Action),
  action('stack_push', { src: subfield(128) }),
  action('stack_pop', { dst: subfield(128) }),
  action('sample', sample),
  action('sample2', { ...sample, samplingPort: fc.integer({ min: 1, max: 0xfeff }) }),
  action('sample3', {
    ...sample,
    samplingPort: fc.integer({ min: 1, max: 0xfeff }),
    direction: fc.constantFrom('ingress', 'egress'),
  }),
  action('set_tunnel', { tunId: u32 }),
  action('set_tunnel64', { tunId: u64 }),
  action('pop_queue'),
  action('ct_clear'),
  action('check_pkt_larger', { pktLen: u16, dst: subfield(1) }),
  action('write_metadata', { metadata: u64, mask: u64 }),
  fc
    .record(
      {
        commit: fc.constant(true),
        table: fc.integer({ min: 0, max: 254 }),
        zone,
        actions: fc.tuple(
          fc
            .record({
              v4: fc.tuple(u32, u32),
              ports: fc.tuple(u16, u16),
              kind: fc.constantFrom('src', 'dst'),
            })
            .map(({ v4: [a, b], ports: [p, q], kind }) => ({
              type: 'nat',
              kind,
              ipv4Min: Math.min(a, b) || 1,
              ipv4Max: Math.max(a, b) || 1,
              portMin: Math.min(p, q) || 1,
              portMax: Math.max(p, q) || 1,
            })),
        ),
      },
      { requiredKeys: ['zone', 'commit'] },
    )
    .map((a) => ({ type: 'ct', ...a }) as Action),
);

/** Actions whose encoding, and so what is decoded, depends on the version. */
export const versionedAction: fc.Arbitrary<Action> = fc.oneof(
  withValue(64).map((p) => ({ type: 'reg_load' as const, ...p })),
  pair.map((p) => ({ type: 'reg_move' as const, ...p })),
  field.chain((f) => value(f, f.nBits).map((v) => ({ type: 'reg_load2' as const, field: f, value: v }))),
  field.chain((f) =>
    fc.tuple(value(f, f.nBits), value(f, f.nBits)).map(([v, mask]): Action => {
      const bits = typeof v === 'bigint' ? v & (mask as bigint) : (v & (mask as number)) >>> 0;
      return { type: 'set_field', field: f, value: bits, mask };
    }),
  ),
);

export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: plainAction },
  { weight: 2, arbitrary: versionedAction },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.oneof(plainAction, versionedAction), { minLength: 1, maxLength: 3 })
      .map((actions) => ({ type: 'clone', actions }) as Action),
  },
);
