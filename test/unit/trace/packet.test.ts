import { describe, expect, it } from 'vitest';
import { checkRawFlow, ctNextArguments, isRawFlow, parsePacket } from '../../../src/trace/index.js';
import { ip, mac } from '../../golden/pipeline/intents.js';

const value = (text: string) => {
  const parsed = parsePacket(text);
  return parsed.ok ? parsed.value : parsed.why;
};

describe('packets in words', () => {
  it('TCP and UDP', () => {
    expect(value('tcp 10.20.0.10:40000 > 10.20.0.100:80')).toEqual({
      protocol: 'tcp',
      source: ip('10.20.0.10'),
      sourcePort: 40000,
      destination: ip('10.20.0.100'),
      destinationPort: 80,
      ttl: 64,
    });
    expect(value(' UDP  10.20.0.10>10.20.0.100:53 ttl=3 src_mac=02:00:00:00:00:0a')).toMatchObject({
      protocol: 'udp',
      sourcePort: 40000,
      destinationPort: 53,
      ttl: 3,
      sourceMac: mac('02:00:00:00:00:0a'),
    });
  });

  it.each([
    ['icmp 10.0.0.1 > 10.0.0.2', 8, 0],
    ['icmp reply 10.0.0.1 > 10.0.0.2', 0, 0],
    ['icmp 3/4 10.0.0.1 > 10.0.0.2', 3, 4],
    ['icmp time-exceeded 10.0.0.1 > 10.0.0.2', 11, 0],
  ])('%s', (text, icmpType, icmpCode) => expect(value(text)).toMatchObject({ icmpType, icmpCode }));

  it('ARP asks unless it answers', () => {
    expect(value('arp 10.0.0.1 > 10.0.0.2')).toMatchObject({ arp: 'request' });
    expect(value('arp reply 10.0.0.1 > 10.0.0.2')).toMatchObject({ arp: 'reply' });
  });

  it.each([
    ['tcp', "isn't a packet"],
    ['tcp 10.20.0.10:1 10.20.0.100:80', "isn't a packet"],
    ['tcp 10.20.0.10:1 > 10.20.0.100', '10.20.0.100 lacks a port; write it like 10.20.0.100:80'],
    ['tcp 10.20.0.10:1 > 10.20.0.100:70000', '"70000" isn\'t a port'],
    ['tcp 10.20.0.300:1 > 10.20.0.100:80', '300 is more than 255'],
    ['tcp [fe80::1]:1 > [fe80::2]:80', 'IPv6'],
    ['sctp 10.20.0.10:1 > 10.20.0.100:80', '"sctp" isn\'t one of tcp, udp, icmp, arp'],
    ['tcp syn 10.20.0.10:1 > 10.20.0.100:80', '"syn" says nothing about tcp'],
    ['icmp hello 10.0.0.1 > 10.0.0.2', '"hello" isn\'t a kind of ICMP; one of echo'],
    ['icmp 300 10.0.0.1 > 10.0.0.2', "isn't a kind of ICMP"],
    ['arp gratuitous 10.0.0.1 > 10.0.0.2', "isn't a kind of ARP"],
    ['icmp 10.0.0.1:3 > 10.0.0.2', 'not an IPv4 address'],
    ['icmp 10.0.0.1 > 10.0.0.2 ttl=999', 'ttl=999'],
    ['icmp 10.0.0.1 > 10.0.0.2 vlan=3', '"vlan=3" isn\'t one of ttl=N'],
    ['icmp 10.0.0.1 > 10.0.0.2 src_mac=1', 'not a MAC address'],
  ])('%s: %s', (text, why) => expect(value(text)).toContain(why));
});

describe('what is handed to the switch as it is', () => {
  it('a flow with in_port is no packet', () => {
    expect(isRawFlow('in_port=3,tcp')).toBe(true);
    expect(isRawFlow('tcp, in_port=3')).toBe(true);
    expect(isRawFlow('tcp 10.0.0.1:1 > 10.0.0.2:2')).toBe(false);
    expect(checkRawFlow(' in_port=3 , tcp,nw_ttl=64')).toBe('in_port=3,tcp,nw_ttl=64');
  });

  it.each(['-generate in_port=3', 'in_port=3 -generate', 'tcp,nw_ttl=64', ''])(
    'no second argument gets in: "%s"',
    (text) => expect(() => checkRawFlow(text)).toThrow(/isn't a flow|no in_port/),
  );

  it('words of conntrack, tracked always', () => {
    expect(ctNextArguments(['new', 'trk,est|rpl'])).toEqual([
      '--ct-next',
      'trk,new',
      '--ct-next',
      'trk,est,rpl',
    ]);
    expect(() => ctNextArguments(['established'])).toThrow('"established" is no state of conntrack');
    expect(() => ctNextArguments([' '])).toThrow('is no state of conntrack');
  });
});
