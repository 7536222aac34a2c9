import { describe, expect, test } from 'vitest';
import { F, sub } from '../../../src/nx-extensions/index.js';
import {
  type Action,
  canonicalActions,
  canonicalMatch,
  m,
  OFP13,
  OFP15,
  OFPP,
} from '../../../src/ofp/index.js';
import { decoded, encoded } from './bytes.js';

describe('matches', () => {
  test('reg3 as the switch prints it on 1.5: the lower half of xreg1', () => {
    expect(canonicalMatch([m(F.xreg1, 5n, 0xffff_ffffn)])).toEqual([m(F.reg3, 5)]);
    expect(canonicalMatch([m(F.xreg1, 5n << 32n, 0xffffn << 32n)])).toEqual([m(F.reg2, 5, 0xffff)]);
  });
  test('a whole wide register is all of its parts', () => {
    expect(canonicalMatch([m(F.xxreg1, (1n << 96n) | 4n)])).toEqual(
      canonicalMatch([m(F.reg4, 1), m(F.reg5, 0), m(F.reg6, 0), m(F.reg7, 4)]),
    );
  });
  test('two masked registers of one pair', () => {
    expect(canonicalMatch([m(F.xreg0, 0x0000000700000009n, 0x0000ffff0000ffffn)])).toEqual(
      canonicalMatch([m(F.reg0, 7, 0xffff), m(F.reg1, 9, 0xffff)]),
    );
  });
  test('OpenFlow 1.0 forms', () => {
    expect(canonicalMatch([m(F.in_port_nxm, 0xfffe)])).toEqual([m(F.in_port, OFPP.LOCAL)]);
    expect(canonicalMatch([m(F.vlan_tci, 0x1005, 0x1fff)])).toEqual([m(F.vlan_vid, 0x1005)]);
    expect(canonicalMatch([m(F.vlan_tci, 0)])).toEqual([m(F.vlan_vid, 0)]);
    expect(canonicalMatch([m(F.nw_tos, 0x20)])).toEqual([m(F.ip_dscp, 8)]);
  });
});

describe('actions mean the same on 1.3 and 1.5', () => {
  const same: Action[] = [
    { type: 'reg_load', dst: sub(F.reg3, 4, 8), value: 0xab },
    { type: 'reg_load', dst: sub(F.reg3), value: 7 },
    { type: 'reg_load', dst: sub(F.metadata, 60, 4), value: 7n },
    { type: 'reg_load', dst: sub(F.xreg1, 16, 32), value: 0x12345678n },
    { type: 'set_field', field: F.xreg1, value: 1n, mask: 3n },
    { type: 'set_field', field: F.xxreg1, value: 1n },
    { type: 'reg_load2', field: F.reg1, value: 1 },
    { type: 'reg_move', src: sub(F.xreg1, 0, 16), dst: sub(F.ct_mark, 0, 16) },
    { type: 'resubmit_table', table: 4 },
    { type: 'controller2', userdata: Uint8Array.of(1) },
    { type: 'output_reg', src: sub(F.xreg0, 32, 16) },
    {
      type: 'ct',
      commit: true,
      zone: sub(F.reg3, 0, 16),
      actions: [{ type: 'reg_load', dst: sub(F.ct_label, 64, 32), value: 9n }],
    },
    { type: 'clone', actions: [{ type: 'reg_load', dst: sub(F.reg1, 0, 4), value: 9 }] },
    { type: 'learn', table: 25, specs: [{ type: 'load', dst: sub(F.xreg3, 0, 16), value: 5n }] },
    { type: 'learn2', table: 25, limit: 0, specs: [{ type: 'output', src: sub(F.in_port_nxm) }] },
  ];
  for (const action of same) {
    test(
      JSON.stringify(action, (k, v) => (k === 'field' ? v.name : typeof v === 'bigint' ? `${v}` : v)),
      () => {
        const sent = canonicalActions([action]);
        expect(canonicalActions(decoded(encoded([action], OFP13), OFP13))).toEqual(sent);
        expect(canonicalActions(decoded(encoded([action], OFP15), OFP15))).toEqual(sent);
      },
    );
  }
  test('different actions stay different', () => {
    expect(canonicalActions([{ type: 'reg_load', dst: sub(F.reg3, 0, 16), value: 1 }])).not.toEqual(
      canonicalActions([{ type: 'reg_load', dst: sub(F.reg3), value: 1 }]),
    );
    expect(canonicalActions([{ type: 'resubmit_table', table: 4 }])).not.toEqual(
      canonicalActions([{ type: 'resubmit_table_ct', table: 4 }]),
    );
  });
});
