import { describe, expect, test } from 'vitest';
import { F } from '../../../src/nx-extensions/index.js';
import {
  decodeMessage,
  encodeMessage,
  type Message,
  m,
  OFP13,
  OFP15,
  OfpDecodeError,
  OfpEncodeError,
  type OfpVersion,
  type PacketIn,
  Writer,
} from '../../../src/ofp/index.js';
import { bytes, hex } from './bytes.js';

function encoded(message: Message, version: OfpVersion = OFP13): string {
  const w = new Writer();
  encodeMessage(w, version, 1, message);
  return hex(w.take());
}
const decoded = (text: string): Message => decodeMessage(bytes(text)).message;

const punted: PacketIn = {
  type: 'packet_in',
  form: 'nxt_packet_in2',
  totalLen: 100,
  reason: 'apply_action',
  table: 21,
  cookie: 0x1234n,
  match: [m(F.reg3, 7), m(F.in_port, 2)],
  userdata: Uint8Array.of(1, 2, 3),
  continuation: Uint8Array.of(0, 0, 0, 0, 9),
  data: Uint8Array.of(0xaa, 0xbb, 0xcc, 0xdd, 0xee),
};

describe('packet_in2', () => {
  const text =
    '0404 0000 00000001 00002320 0000001e' +
    '0000 0009 aabbccddee 00000000000000' +
    '0001 0008 00000064' +
    '0003 0005 15 000000' +
    '0004 0010 00000000 0000000000001234' +
    '0005 0005 01 000000' +
    '0006 0014 00010604 00000007 80000004 00000002 00000000' +
    '0008 0009 0000000009 00000000000000' +
    '0007 0007 010203 00';
  const whole = (t: string): string => {
    const b = bytes(t);
    new DataView(b.buffer).setUint16(2, b.length);
    return hex(b);
  };

  test('is a packet_in with metadata and userdata; property lengths exclude padding', () => {
    expect(encoded(punted)).toBe(whole(text));
    expect(decoded(whole(text))).toEqual(punted);
  });
  test('resume sends the same back', () => {
    expect(encoded({ type: 'nx_resume', packet: punted })).toBe(whole(text.replace('0000001e', '0000001c')));
    expect(decoded(encoded({ type: 'nx_resume', packet: punted }))).toEqual({
      type: 'nx_resume',
      packet: punted,
    });
  });
  test('a packet that nothing is known of', () => {
    expect(decoded(whole('0404 0018 00000001 00002320 0000001e 0000 0005 aa 000000'))).toEqual({
      type: 'packet_in',
      form: 'nxt_packet_in2',
      totalLen: 1,
      reason: 'table_miss',
      table: 0,
      cookie: 0xffff_ffff_ffff_ffffn,
      match: [],
      userdata: new Uint8Array(0),
      data: Uint8Array.of(0xaa),
    });
  });
  test('unknown properties survive', () => {
    const more = whole(`${text.replace(/\s/g, '')}00630006aabb0000`);
    expect(encoded(decoded(more))).toBe(more);
  });
  test('without a packet, or with a length below it, it is refused', () => {
    expect(() => decoded(whole('0404 0018 00000001 00002320 0000001e 0003 0005 15 000000'))).toThrow(
      OfpDecodeError,
    );
    expect(() =>
      decoded(whole('0404 0018 00000001 00002320 0000001e 0000 0006 aabb 0000 0001 0008 00000001')),
    ).toThrow(/full_len/);
  });
  test('a packet that 16 bits of length cannot say is refused, nothing is cut', () => {
    expect(() => encoded({ ...punted, data: new Uint8Array(65_500) })).toThrow(OfpEncodeError);
  });
  test('what is decoded outlives the buffer it came from', () => {
    for (const b of [bytes(whole(text)), Buffer.from(whole(text), 'hex')]) {
      const packet = decodeMessage(b).message as PacketIn;
      b.fill(0xff);
      expect(packet).toEqual(punted);
    }
  });
  test('every truncation is an error, not a shorter packet', () => {
    const b = bytes(whole(text));
    for (let n = 16; n < b.length; n++) {
      const cut = b.slice(0, n);
      new DataView(cut.buffer).setUint16(2, n);
      try {
        // Cut between properties it is a whole message with fewer of them.
        expect(hex(bytes(encoded(decodeMessage(cut).message))).length).toBeLessThanOrEqual(2 * b.length);
        expect(n % 8).toBe(0);
      } catch (e) {
        if (!(e instanceof OfpDecodeError)) throw e;
      }
    }
  });
});

describe('flushing connections', () => {
  test('by zone', () => {
    expect(encoded({ type: 'nx_ct_flush_zone', zone: 5 })).toBe(
      '0404001800000001000023200000001d0000000000000005',
    );
  });
  test('by tuple: addresses as IPv6, numbers of one byte in 5 bytes of property', () => {
    const flush: Message = {
      type: 'nx_ct_flush',
      protocol: 1,
      zone: 7,
      original: { src: 0x0a010101, dst: 1n, icmpId: 5, icmpType: 8, icmpCode: 0 },
    };
    expect(encoded(flush)).toBe(
      (
        '04040070 00000001 00002320 00000020 01 00000000000000' +
        '0000 0050 00000000' +
        '0000 0014 00000000000000000000ffff0a010101 00000000' +
        '0001 0014 00000000000000000000000000000001 00000000' +
        '0004 0008 0005 0000 0005 0005 08 000000 0006 0005 00 000000' +
        '0002 0008 0007 0000'
      ).replace(/\s/g, ''),
    );
    expect(decoded(encoded(flush))).toEqual(flush);
  });
  test('ports with ICMP are refused: the switch would flush more than was meant', () => {
    expect(() => encoded({ type: 'nx_ct_flush', protocol: 1, original: { srcPort: 5 } })).toThrow(
      OfpEncodeError,
    );
    expect(() => encoded({ type: 'nx_ct_flush', protocol: 6, original: { icmpId: 5 } })).toThrow(
      OfpEncodeError,
    );
  });
});

describe('the rest', () => {
  const messages: [Message, OfpVersion[], string][] = [
    [{ type: 'nx_set_controller_id', controllerId: 5 }, [OFP13, OFP15], '000000140000000000000005'],
    [{ type: 'nx_set_packet_in_format', format: 'nxt_packet_in2' }, [OFP13, OFP15], '0000001000000002'],
    [{ type: 'nx_flow_mod_table_id', set: true }, [OFP13], '0000000f0100000000000000'],
    [{ type: 'nx_role_request', role: 'master' }, [OFP13], '0000000a00000001'],
    [{ type: 'nx_role_reply', role: 'slave' }, [OFP13], '0000000b00000002'],
    [{ type: 'nx_set_async_config2', packetIn: { master: 7 } }, [OFP13], '0000001b0001000800000007'],
    [{ type: 'nx_tlv_table_request' }, [OFP13, OFP15], '00000019'],
    [
      {
        type: 'nx_tlv_table_mod',
        command: 'add',
        maps: [{ optClass: 0xffff, optType: 1, optLen: 8, index: 3 }],
      },
      [OFP13, OFP15],
      '000000180000000000000000ffff010800030000',
    ],
    [
      { type: 'nx_tlv_table_reply', maxOptionSpace: 256, maxFields: 64, maps: [] },
      [OFP13],
      '0000001a00000100004000000000000000000000',
    ],
  ];
  for (const [message, versions, body] of messages) {
    for (const version of versions) {
      test(`${message.type} (version ${version})`, () => {
        const text = encoded(message, version);
        expect(text.slice(16)).toBe(`00002320${body}`);
        expect(decoded(text)).toEqual(message);
      });
    }
  }
  test('flow monitors of 1.3 are ONF messages, and none of 1.5', () => {
    const cancel: Message = { type: 'flow_monitor_cancel', monitorId: 3 };
    expect(encoded(cancel).slice(16)).toBe('4f4e46000000074e00000003');
    expect(decoded(encoded(cancel))).toEqual(cancel);
    expect(() => encoded(cancel, OFP15)).toThrow(OfpEncodeError);
  });
  test('an option length that no switch takes is refused', () => {
    expect(() =>
      encoded({
        type: 'nx_tlv_table_mod',
        command: 'add',
        maps: [{ optClass: 1, optType: 1, optLen: 3, index: 0 }],
      }),
    ).toThrow(OfpEncodeError);
  });
  test('a message of an unknown subtype stays as it is', () => {
    const text = '0404001400000001000023200000ffff01020304';
    expect(decoded(text).type).toBe('experimenter');
    expect(encoded(decoded(text))).toBe(text);
  });
});
