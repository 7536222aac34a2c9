/** Mistakes are told with the column at which they stand. */
import { describe, expect, test } from 'vitest';
import '../../../src/nx-extensions/text/index.js';
import {
  parseActions,
  parseFlow,
  parseGroup,
  parseMatch,
  parseMeter,
  TextError,
} from '../../../src/ofp/text/index.js';

function mistake(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (error instanceof TextError) return error.message;
    throw error;
  }
  return 'none';
}

describe('flows', () => {
  test.each([
    ['tcp,nw_dst=10.0.0.300,actions=drop', 'column 12: "10.0.0.300" is not an IPv4 address'],
    ['tcp,nw_dst=010.0.0.1,actions=drop', 'column 12: "010.0.0.1" is not an IPv4 address'],
    ['table=300,actions=drop', 'column 7: table 300 is above 255'],
    ['in_port=1', 'column 10: actions=… expected'],
    ['nonsense=1,actions=drop', 'column 1: unknown keyword "nonsense"'],
    ['in_port,actions=drop', 'column 1: in_port needs a value'],
    ['tp_dst=80,actions=drop', 'column 1: tp_dst needs tcp, udp or sctp before it'],
    ['actions=output:1,fly', 'column 18: unknown action "fly"'],
    ['actions=ct(commit,nat(src=10.0.0.x))', 'column 27: "10.0.0.x" is not a range of addresses and ports'],
    ['actions=ct(force)', 'column 9: force needs commit'],
    ['actions=load:0x10->NXM_NX_REG0[0..3]', 'column 14: number 0x10 is above 15'],
    ['actions=load:1->NXM_NX_REG0[0..32]', 'column 17: reg0 has 32 bits, not [0..32]'],
    [
      'actions=move:NXM_NX_REG0[]->NXM_NX_REG1[0]',
      'column 14: NXM_NX_REG0[] has 32 bits, NXM_NX_REG1[0] has 1',
    ],
    ['actions=set_field:1->nothing', 'column 22: unknown field "nothing"'],
    ['actions=clone(output:1', 'column 14: this parenthesis is not closed'],
    ['actions=goto_table:1,goto_table:2', 'column 22: goto_table is there twice'],
    ['cookie=1/1,actions=drop', 'column 8: an added flow has a cookie without a mask'],
    [
      'ct_state=+trk+foo,actions=drop',
      'column 15: unknown flag "foo", known are new est rel rpl inv trk snat dnat',
    ],
    ['ct_state=+trk-trk,actions=drop', 'column 14: trk is there twice'],
    ['in_port=70000,actions=drop', 'column 9: "70000" is not a port'],
    ['vlan_tci=0x20000,actions=drop', 'column 10: number 0x20000 is above 65535'],
    ['actions=conjunction(1,3/2)', 'column 21: clause 3 of 2: 2 to 64 clauses, counted from 1'],
    ['actions=resubmit(,)', 'column 18: a port or a table is needed'],
  ])('%s', (text, message) => {
    expect(mistake(() => parseFlow(text))).toBe(message);
  });
});

test('other texts', () => {
  expect(mistake(() => parseMatch('ip,nw_src=1.2.3.4/33'))).toBe('column 19: "33" is not an IPv4 mask');
  expect(mistake(() => parseActions('output:1,note:0'))).toBe('column 15: "0" is not a number of bytes');
  expect(mistake(() => parseGroup('group_id=1,type=some,bucket=output:1'))).toBe(
    'column 17: "some" is not one of all select indirect ff fast_failover',
  );
  expect(mistake(() => parseGroup('group_id=1,type=all,bucket=fly:1'))).toBe(
    'column 28: unknown action "fly"',
  );
  expect(mistake(() => parseMeter('meter=1,kbps,bands=type=drop'))).toBe('column 20: a band needs rate=…');
});

test('deeply nested and long texts end in an error or a result, not in a crash', () => {
  const deep = `actions=${'clone('.repeat(200)}output:1${')'.repeat(200)}`;
  expect(mistake(() => parseFlow(deep))).toMatch(/^column \d+: more than \d+ levels/);
  expect(parseFlow(`actions=${Array(2000).fill('output:1').join(',')}`).instructions).toHaveLength(1);
});
