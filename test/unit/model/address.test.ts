import { describe, expect, it } from 'vitest';
import {
  contains,
  firstHost,
  formatIpv4,
  formatMac,
  isHost,
  lastOf,
  must,
  overlap,
  parseIpv4,
  parseMac,
  parsePrefix4,
} from '../../../src/model/index.js';

describe('IPv4 addresses', () => {
  it.each(['0.0.0.0', '10.20.0.1', '127.0.0.1', '255.255.255.255'])('reads and writes %s', (text) => {
    expect(formatIpv4(must(parseIpv4(text)))).toBe(text);
  });
  it('is unsigned above 127', () => {
    expect(must(parseIpv4('192.168.5.1'))).toBe(0xc0a80501);
  });
  it.each([
    '010.0.0.1',
    '10.0.0.01',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '1.2.3.4 ',
    '',
    '0x1.2.3.4',
    '1.2.3.-4',
    '1..3.4',
  ])('refuses "%s"', (text) => {
    expect(parseIpv4(text).ok).toBe(false);
  });
});

describe('prefixes', () => {
  const prefix = (text: string) => must(parsePrefix4(text));
  it.each(['10.0.0.1/8', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0', '10.0.0.0/', '/8', '10.0.0.0/-1'])(
    'refuses "%s"',
    (text) => {
      expect(parsePrefix4(text).ok).toBe(false);
    },
  );
  it('knows the ends of a prefix, also of length 0 and 32', () => {
    expect(formatIpv4(lastOf(prefix('10.20.0.0/24')))).toBe('10.20.0.255');
    expect(formatIpv4(lastOf(prefix('0.0.0.0/0')))).toBe('255.255.255.255');
    expect(formatIpv4(lastOf(prefix('192.0.2.1/32')))).toBe('192.0.2.1');
    expect(formatIpv4(firstHost(prefix('10.20.0.0/24')))).toBe('10.20.0.1');
    expect(formatIpv4(firstHost(prefix('10.20.0.2/31')))).toBe('10.20.0.2');
  });
  it('keeps network and broadcast address from stations, except in /31', () => {
    expect(isHost(prefix('10.20.0.0/24'), must(parseIpv4('10.20.0.0')))).toBe(false);
    expect(isHost(prefix('10.20.0.0/24'), must(parseIpv4('10.20.0.255')))).toBe(false);
    expect(isHost(prefix('10.20.0.2/31'), must(parseIpv4('10.20.0.3')))).toBe(true);
    expect(isHost(prefix('192.168.0.0/16'), must(parseIpv4('192.169.0.1')))).toBe(false);
  });
  it('finds overlaps whichever is larger', () => {
    expect(overlap(prefix('10.20.0.0/16'), prefix('10.20.7.0/24'))).toBe(true);
    expect(overlap(prefix('10.20.7.0/24'), prefix('10.20.0.0/16'))).toBe(true);
    expect(overlap(prefix('10.20.0.0/24'), prefix('10.20.1.0/24'))).toBe(false);
    expect(contains(prefix('0.0.0.0/0'), 0xffffffff)).toBe(true);
  });
});

describe('MAC addresses', () => {
  it('reads and writes', () => {
    expect(formatMac(must(parseMac('02:42:0A:14:00:01')))).toBe('02:42:0a:14:00:01');
  });
  it.each([
    '01:00:5e:00:00:01',
    'ff:ff:ff:ff:ff:ff',
    '00:00:00:00:00:00',
    '02:42:0a:14:00',
    '02-42-0a-14-00-01',
    '2:42:0a:14:00:01',
  ])('refuses %s', (text) => {
    expect(parseMac(text).ok).toBe(false);
  });
});
