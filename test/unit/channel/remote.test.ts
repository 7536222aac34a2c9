import { expect, test } from 'vitest';
import { formatRemote, parseRemote, RemoteSyntaxError } from '../../../src/ofp/channel/remote.js';

test.each([
  ['ptcp:', 'ptcp:6653:0.0.0.0'],
  ['ptcp', 'ptcp:6653:0.0.0.0'],
  ['ptcp:6640', 'ptcp:6640:0.0.0.0'],
  ['ptcp:0:127.0.0.1', 'ptcp:0:127.0.0.1'],
  ['ptcp::127.0.0.1', 'ptcp:6653:127.0.0.1'],
  ['ptcp:6653:[::1]', 'ptcp:6653:[::1]'],
  ['pssl:6653:[fe80::1]', 'pssl:6653:[fe80::1]'],
  ['tcp:10.0.0.1', 'tcp:10.0.0.1:6653'],
  ['tcp:10.0.0.1:6640', 'tcp:10.0.0.1:6640'],
  ['ssl:[2001:db8::1]', 'ssl:[2001:db8::1]:6653'],
  ['ssl:[2001:db8::1]:65535', 'ssl:[2001:db8::1]:65535'],
  ['tcp:switch-1.example.test:6653', 'tcp:switch-1.example.test:6653'],
  ['punix:/run/hpnn/of.sock', 'punix:/run/hpnn/of.sock'],
  ['unix:/var/run/openvswitch/br-lb.mgmt', 'unix:/var/run/openvswitch/br-lb.mgmt'],
])('%s means %s', (text, canonical) => {
  const remote = parseRemote(text);
  expect(formatRemote(remote)).toBe(canonical);
  expect(parseRemote(canonical)).toEqual(remote);
});

test.each([
  ['', /expected one of ptcp:/],
  ['udp:1.2.3.4', /expected one of ptcp:/],
  ['TCP:1.2.3.4', /expected one of/],
  ['ptcp:127.0.0.1', /the port comes first: ptcp:PORT:127\.0\.0\.1/],
  ['ptcp:65536', /port "65536" is not a number from 0 to 65535/],
  ['ptcp:+1', /port "\+1"/],
  ['ptcp:6653:::1', /in brackets: \[::1\]/],
  ['ptcp:6653:localhost', /"localhost" is not an IPv4 address/],
  ['ptcp:6653:010.0.0.1', /not an IPv4 address/],
  ['tcp:', /a host is missing/],
  ['tcp:10.0.0.1:0', /port "0" is not a number from 1/],
  ['tcp:10.0.0.1:', /port "" is not/],
  ['tcp:2001:db8::1', /an IPv6 address stands in brackets: \[2001:db8::1\]/],
  ['tcp:[2001:db8::1', /"\[" without "\]"/],
  ['tcp:[::1]6653', /expected ":PORT" after "\]"/],
  ['tcp:[1.2.3.4]', /not an IPv4 address or an IPv6 address in brackets/],
  ['tcp:1.2.3.4.5', /neither an IP address nor a host name/],
  ['tcp:999.1.1.1', /neither an IP address nor a host name/],
  ['tcp:a b', /neither an IP address nor a host name/],
  ['unix:', /the path of a socket is missing/],
  [`punix:/${'x'.repeat(107)}`, /at most 107 bytes, this one 108/],
])('%s is refused', (text, why) => {
  expect(() => parseRemote(text)).toThrow(RemoteSyntaxError);
  expect(() => parseRemote(text)).toThrow(why);
});
