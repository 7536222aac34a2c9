import { describe, expect, test } from 'vitest';
import { F, sub } from '../../../src/nx-extensions/index.js';
import {
  type Action,
  OFP13,
  OFP15,
  OFPP,
  OfpDecodeError,
  OfpEncodeError,
  type OfpVersion,
} from '../../../src/ofp/index.js';
import { decoded, encoded } from './bytes.js';

/** Layouts written by hand after the structures' descriptions; [versions, bytes, action]. */
const both: OfpVersion[] = [OFP13, OFP15];
const cases: [string, OfpVersion[], string, Action][] = [
  [
    'ports of 16 bits: the reserved IN_PORT is fff8',
    both,
    'ffff0010 00002320 000e fff8 05 000000',
    { type: 'resubmit_table', port: OFPP.IN_PORT, table: 5 },
  ],
  ['resubmit to a port', both, 'ffff0010 00002320 0001 0003 00000000', { type: 'resubmit', port: 3 }],
  [
    'reg_load says offset and width in one word',
    [OFP13],
    'ffff0018 00002320 0007 000f 00010604 0000000000000007',
    { type: 'reg_load', dst: sub(F.reg3, 0, 16), value: 7 },
  ],
  [
    'masked set_field is reg_load2 before 1.5, with the OXM right behind the header',
    [OFP13],
    'ffff0018 00002320 0021 00010708 00000001 0000ffff 0000',
    { type: 'set_field', field: F.reg3, value: 1, mask: 0xffff },
  ],
  [
    'masked set_field of 1.5',
    [OFP15],
    '00190010 00010708 00000001 0000ffff',
    { type: 'set_field', field: F.reg3, value: 1, mask: 0xffff },
  ],
  [
    'reg_move',
    [OFP13],
    'ffff0018 00002320 0006 0010 0000 0008 00010a04 0001d604',
    { type: 'reg_move', src: sub(F.reg5, 0, 16), dst: sub(F.ct_mark, 8, 16) },
  ],
  [
    'multipath: links are one more than max_link',
    both,
    'ffff0020 00002320 000a 0003 0032 0000 0000 00fa 00000000 0000 000f 00010204',
    {
      type: 'multipath',
      fields: 'symmetric_l3l4+udp',
      basis: 50,
      algorithm: 'modulo_n',
      nLinks: 251,
      arg: 0,
      dst: sub(F.reg1, 0, 16),
    },
  ],
  [
    'ct: 24 bytes of header, nested actions count in its length',
    both,
    'ffff0048 00002320 0023 0001 00010604 000f 14 000000 0000' +
      'ffff0020 00002320 0024 0000 0002 0033 0a000002 0a000003 1f90 1f91 00000000' +
      '00190010 0001d604 00000005 00000000',
    {
      type: 'ct',
      commit: true,
      zone: sub(F.reg3, 0, 16),
      table: 20,
      actions: [
        { type: 'nat', kind: 'dst', ipv4Min: 0x0a000002, ipv4Max: 0x0a000003, portMin: 8080, portMax: 8081 },
        { type: 'set_field', field: F.ct_mark, value: 5 },
      ],
    },
  ],
  [
    'learn: immediates take whole 16-bit words, the end of the action ends the specs',
    both,
    'ffff0040 00002320 0010 000a 0014 005a 0000000000001234 0003 19 00 0000 0000' +
      '2802 0003 00010204 0000' +
      '0010 00010604 0000 00010604 0000' +
      '1010 00000002 0000',
    {
      type: 'learn',
      idleTimeout: 10,
      hardTimeout: 20,
      finIdleTimeout: 0,
      finHardTimeout: 0,
      priority: 90,
      cookie: 0x1234n,
      sendFlowRem: true,
      deleteLearned: true,
      table: 25,
      specs: [
        { type: 'load', dst: sub(F.reg1, 0, 2), value: 3 },
        { type: 'match', dst: sub(F.reg3, 0, 16), src: sub(F.reg3, 0, 16) },
        { type: 'output', src: sub(F.in_port_nxm) },
      ],
    },
  ],
  [
    'controller2: the length of a property excludes its padding',
    both,
    'ffff0018 00002320 0025 000000000000 0003 0007 01 02 03 00',
    { type: 'controller2', userdata: Uint8Array.of(1, 2, 3) },
  ],
  [
    'clone',
    both,
    'ffff0020 00002320 002a 000000000000 00000010 00000001 0000 000000000000',
    { type: 'clone', actions: [{ type: 'output', port: 1 }] },
  ],
  [
    'an experimenter field has a header of 8 bytes',
    both,
    'ffff0018 00002320 0020 001f ffff ffff0c08 005ad650 0000',
    { type: 'output_reg2', src: sub(F.nsh_c1), maxLen: 0xffff },
  ],
  [
    'conjunction counts clauses from 0 on the wire',
    both,
    'ffff0010 00002320 0022 00 02 00000007',
    { type: 'conjunction', clause: 1, nClauses: 2, id: 7 },
  ],
];

describe('bytes ↔ model', () => {
  for (const [name, versions, text, action] of cases) {
    for (const version of versions) {
      test(`${name} (version ${version})`, () => {
        const known = text.replace(/\s/g, '');
        expect(encoded([action], version)).toBe(known);
        expect(decoded(known, version)).toEqual([action]);
      });
    }
  }
});

describe('differences between versions', () => {
  test('reg_load is a masked set_field on 1.5, which refuses NXAST_REG_LOAD', () => {
    const load: Action = { type: 'reg_load', dst: sub(F.reg3, 4, 8), value: 0xab };
    expect(encoded([load], OFP15)).toBe('0019001000010708' + '00000ab0' + '00000ff0');
    expect(decoded('ffff0018 00002320 0007 000f 00010604 0000000000000007', OFP15)[0]?.type).toBe('raw');
  });
  test('a load of a whole field has no mask', () => {
    const load: Action = { type: 'reg_load', dst: sub(F.reg3), value: 7 };
    expect(encoded([load], OFP15)).toBe('00190010000106040000000700000000');
  });
  test('a load of more than 64 bits, or of an experimenter field, is a reg_load2 on 1.3', () => {
    expect(encoded([{ type: 'reg_load', dst: sub(F.xxreg0, 0, 96), value: 1n }], OFP13)).toMatch(
      /^ffff0030000023200021/,
    );
    expect(encoded([{ type: 'reg_load', dst: sub(F.nsh_c1, 0, 4), value: 1 }], OFP13)).toMatch(
      /^ffff0020000023200021/,
    );
  });
  test('reg_move is OFPAT_COPY_FIELD on 1.5 and comes back as copy_field', () => {
    const move = { src: sub(F.reg5, 0, 16), dst: sub(F.ct_mark, 0, 16) };
    const text = encoded([{ type: 'reg_move', ...move }], OFP15);
    expect(text).toBe('001c0018001000000000000000010a040001d60400000000');
    expect(decoded(text, OFP15)).toEqual([{ type: 'copy_field', ...move }]);
  });
  test('dec_ttl is the standard action', () => {
    expect(decoded(encoded([{ type: 'dec_ttl' }], OFP13), OFP13)).toEqual([{ type: 'dec_nw_ttl' }]);
  });
});

describe('what cannot be said is refused', () => {
  const refused: [string, Action][] = [
    ['a port that 16 bits cannot hold', { type: 'resubmit', port: 70000 }],
    ['a value wider than its subfield', { type: 'reg_load', dst: sub(F.reg3, 0, 4), value: 16 }],
    [
      'a learned value wider than its field',
      { type: 'learn', table: 1, specs: [{ type: 'match', dst: sub(F.reg3, 0, 4), value: 16 }] },
    ],
    ['a move between widths', { type: 'reg_move', src: sub(F.reg3, 0, 4), dst: sub(F.reg1, 0, 5) }],
    ['bits beyond the field', { type: 'output_reg', src: { field: F.reg1, ofs: 30, nBits: 3 } }],
    [
      'more links than the result can name',
      {
        type: 'multipath',
        fields: 'nw_src',
        basis: 0,
        algorithm: 'modulo_n',
        nLinks: 257,
        dst: sub(F.reg1, 0, 8),
      },
    ],
    ['a zone that is not 16 bits', { type: 'ct', zone: sub(F.reg3) }],
    ['force without commit', { type: 'ct', force: true }],
  ];
  for (const [name, action] of refused)
    test(name, () => expect(() => encoded([action], OFP13)).toThrow(OfpEncodeError));

  test('sub() names the width', () => expect(() => sub(F.reg1, 20, 20)).toThrow(RangeError));
});

describe('what comes in is judged', () => {
  const wrong: [string, string][] = [
    ['a RESUBMIT_TABLE of 24 bytes', 'ffff0018 00002320 000e fff8 05 000000 0000000000000000'],
    ['padding that is not zero', 'ffff0010 00002320 000e fff8 05 000001'],
    ['bits beyond the field', 'ffff0018 00002320 0007 07df 00010604 0000000000000007'],
    ['a value beyond its bits', 'ffff0018 00002320 0007 0003 00010604 0000000000000010'],
    ['more members than bytes', 'ffff0020 00002320 000c 0001 0000 0000 00000002 0009 0000 00000000 00000000'],
    ['a property that ends beyond the action', 'ffff0018 00002320 0025 000000000000 0003 0009 01020300'],
    [
      'a nested action that ends beyond ct',
      'ffff0020 00002320 0023 0000 00000000 0005 ff 000000 0000 00000010 00000001',
    ],
    ['nat of both kinds', 'ffff0010 00002320 0024 0000 0003 0000'],
  ];
  for (const [name, text] of wrong)
    test(name, () => expect(() => decoded(text, OFP13)).toThrow(OfpDecodeError));

  test('a zero header ends the specs of learn, whatever padding follows', () => {
    const [learn] = decoded(
      'ffff0030 00002320 0010 0000 0000 8000 0000000000000000 0000 19 00 0000 0000 1010 00000002 0000 0000 000000000000',
      OFP13,
    );
    expect(learn).toMatchObject({ type: 'learn', specs: [{ type: 'output' }] });
  });
  test('nesting is bounded', () => {
    let text = '';
    for (let i = 1; i <= 40; i++)
      text = `ffff${(16 * i).toString(16).padStart(4, '0')}00002320002a000000000000${text}`;
    expect(() => decoded(text, OFP13)).toThrow(/too-deep/);
  });
  test('an unknown subtype, enumerator or field survives as it is', () => {
    for (const text of [
      'ffff0010 00002320 00ff 112233445566',
      'ffff0020 00002320 000a 0063 0032 0000 0000 00fa 00000000 0000 000f 00010204',
      'ffff0018 00002320 0007 000f 0001fe04 0000000000000007',
    ]) {
      const actions = decoded(text, OFP13);
      expect(actions[0]?.type).toBe('raw');
      expect(encoded(actions, OFP13)).toBe(text.replace(/\s/g, ''));
    }
  });
});
