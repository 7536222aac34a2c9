import { type Parsed, parseIpv4, parseMac } from '../model/address.js';
import type { Ipv4, Mac } from '../model/types.js';

/** A packet as a tenant would name it. Ports are those of TCP and UDP. */
export interface PacketSpec {
  readonly protocol: 'tcp' | 'udp' | 'icmp' | 'arp';
  readonly source: Ipv4;
  readonly destination: Ipv4;
  readonly sourcePort?: number;
  readonly destinationPort?: number;
  /** ICMP; an echo request by default. */
  readonly icmpType?: number;
  readonly icmpCode?: number;
  /** ARP: asks for the MAC of `destination`, or answers it. */
  readonly arp?: 'request' | 'reply';
  readonly sourceMac?: Mac;
  readonly destinationMac?: Mac;
  readonly ttl: number;
}

/** Client port where none is given: the slot of a connection depends on it. */
export const SOME_PORT = 40000;
const TTL = 64;
const FORM = "'tcp 10.20.0.10:40000 > 10.20.0.100:80'";

const ICMP_TYPES: Readonly<Record<string, readonly [number, number]>> = {
  echo: [8, 0],
  request: [8, 0],
  reply: [0, 0],
  unreachable: [3, 1],
  'port-unreachable': [3, 3],
  'fragmentation-needed': [3, 4],
  'time-exceeded': [11, 0],
};

/**
 * `tcp 10.20.0.10:40000 > 10.20.0.100:80`, `udp …`, `icmp [TYPE[/CODE] | reply | unreachable …] A > B`,
 * `arp [request | reply] A > B`; behind that `ttl=`, `src_mac=`, `dst_mac=`.
 */
export function parsePacket(text: string): Parsed<PacketSpec> {
  const words = text
    .trim()
    .replace(/\s*>\s*/, ' > ')
    .split(/\s+/);
  const arrow = words.indexOf('>');
  const from = words[arrow - 1];
  const to = words[arrow + 1];
  if (arrow < 2 || from === undefined || to === undefined)
    return bad(`"${text.slice(0, 80)}" isn't a packet; write it like ${FORM}`);
  const protocol = words[0]!.toLowerCase();
  const options = parseOptions(words.slice(arrow + 2));
  if (!options.ok) return options;
  const kind = words.slice(1, arrow - 1);
  if (/^\[|:.*:/.test(from) || /^\[|:.*:/.test(to)) return bad('IPv6 is not balanced or routed');
  switch (protocol) {
    case 'tcp':
    case 'udp':
      if (kind.length > 0) return bad(`"${kind.join(' ')}" says nothing about ${protocol}`);
      return transport(protocol, from, to, options.value);
    case 'icmp':
      return icmp(kind, from, to, options.value);
    case 'arp':
      return arp(kind, from, to, options.value);
    default:
      return bad(`"${words[0]}" isn't one of tcp, udp, icmp, arp`);
  }
}

type Options = Pick<PacketSpec, 'ttl' | 'sourceMac' | 'destinationMac'>;

function transport(protocol: 'tcp' | 'udp', from: string, to: string, options: Options): Parsed<PacketSpec> {
  const source = endpoint(from);
  if (!source.ok) return source;
  const destination = endpoint(to);
  if (!destination.ok) return destination;
  if (destination.value.port === undefined)
    return bad(`${to} lacks a port; write it like ${to}:${protocol === 'tcp' ? 80 : 53}`);
  return good({
    protocol,
    source: source.value.address,
    sourcePort: source.value.port ?? SOME_PORT,
    destination: destination.value.address,
    destinationPort: destination.value.port,
    ...options,
  });
}

function icmp(kind: readonly string[], from: string, to: string, options: Options): Parsed<PacketSpec> {
  const hosts = addresses(from, to);
  if (!hosts.ok) return hosts;
  const word = kind[0] ?? 'echo';
  const numbers = /^(\d{1,3})(?:\/(\d{1,3}))?$/.exec(word);
  const [type, code] = numbers
    ? [Number(numbers[1]), Number(numbers[2] ?? 0)]
    : (ICMP_TYPES[word] ?? [undefined, 0]);
  if (kind.length > 1 || type === undefined || type > 255 || code > 255)
    return bad(
      `"${kind.join(' ')}" isn't a kind of ICMP; one of ${Object.keys(ICMP_TYPES).join(', ')}, or TYPE/CODE`,
    );
  return good({ protocol: 'icmp', ...hosts.value, icmpType: type, icmpCode: code, ...options });
}

function arp(kind: readonly string[], from: string, to: string, options: Options): Parsed<PacketSpec> {
  const hosts = addresses(from, to);
  if (!hosts.ok) return hosts;
  const word = kind[0] ?? 'request';
  if (kind.length > 1 || (word !== 'request' && word !== 'reply'))
    return bad(`"${kind.join(' ')}" isn't a kind of ARP; request or reply`);
  return good({ protocol: 'arp', ...hosts.value, arp: word, ...options });
}

function addresses(from: string, to: string): Parsed<Pick<PacketSpec, 'source' | 'destination'>> {
  const source = parseIpv4(from);
  if (!source.ok) return source;
  const destination = parseIpv4(to);
  return destination.ok ? good({ source: source.value, destination: destination.value }) : destination;
}

function endpoint(text: string): Parsed<{ readonly address: Ipv4; readonly port?: number }> {
  const colon = text.indexOf(':');
  const address = parseIpv4(colon < 0 ? text : text.slice(0, colon));
  if (!address.ok) return address;
  if (colon < 0) return good({ address: address.value });
  const port = text.slice(colon + 1);
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65535)
    return bad(`"${port}" isn't a port; 1 to 65535`);
  return good({ address: address.value, port: Number(port) });
}

function parseOptions(words: readonly string[]): Parsed<Options> {
  let options: Options = { ttl: TTL };
  for (const word of words) {
    const [key, value = ''] = word.split('=', 2) as [string, string?];
    if (key === 'ttl') {
      if (!/^\d{1,3}$/.test(value) || Number(value) > 255) return bad(`ttl=${value}: 0 to 255`);
      options = { ...options, ttl: Number(value) };
    } else if (key === 'src_mac' || key === 'dst_mac') {
      const mac = parseMac(value);
      if (!mac.ok) return mac;
      options = { ...options, [key === 'src_mac' ? 'sourceMac' : 'destinationMac']: mac.value };
    } else return bad(`"${word}" isn't one of ttl=N, src_mac=MAC, dst_mac=MAC`);
  }
  return good(options);
}

const good = <T>(value: T): Parsed<T> => ({ ok: true, value });
const bad = (why: string): { readonly ok: false; readonly why: string } => ({ ok: false, why });
