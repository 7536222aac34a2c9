import { expect, it } from 'vitest';
import { parseEntry } from '../../../src/ovs/index.js';
import { findTracked, parsePacket, parseTrace, runTrace } from '../../../src/trace/index.js';
import { readRecording } from '../../golden/trace/recording.js';

const entry = parseEntry(
  'tcp,orig=(src=10.20.0.10,dst=10.20.0.100,sport=40000,dport=80),reply=(src=10.30.0.2,dst=10.20.0.10,sport=8080,dport=40000),zone=1,mark=33,protoinfo=(state=ESTABLISHED)',
)!;
const packet = (text: string) => {
  const parsed = parsePacket(text);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
};

it('a request is found by its own tuple and goes to the member', () => {
  const found = findTracked([entry], packet('tcp 10.20.0.10:40000 > 10.20.0.100:80'))!;
  expect(found.state).toBe('trk,est,dnat');
  expect(Object.fromEntries(found.translated)).toEqual({
    nw_src: '10.20.0.10',
    tp_src: '40000',
    nw_dst: '10.30.0.2',
    tp_dst: '8080',
  });
});

it('an answer is found by the translated tuple and comes from the VIP', () => {
  const found = findTracked([entry], packet('tcp 10.30.0.2:8080 > 10.20.0.10:40000'))!;
  expect(found.state).toBe('trk,est,rpl,snat');
  expect(found.translated.get('nw_src')).toBe('10.20.0.100');
  expect(found.translated.get('tp_src')).toBe('80');
});

it('neither another port nor another protocol is the same connection', () => {
  expect(findTracked([entry], packet('tcp 10.20.0.10:40001 > 10.20.0.100:80'))).toBeUndefined();
  expect(findTracked([entry], packet('udp 10.20.0.10:40000 > 10.20.0.100:80'))).toBeUndefined();
  expect(() => findTracked([entry], packet('icmp 10.20.0.10 > 10.20.0.100'))).toThrow("can't be looked up");
});

it('goes on behind conntrack with the addresses that it translates to', async () => {
  const recorded = readRecording().get('a served request')!.raw;
  const asked: string[][] = [];
  const { passes } = await runTrace(
    async (...words) => {
      asked.push(words);
      return recorded;
    },
    {
      bridge: 'br-lb',
      flow: 'in_port=11,tcp',
      tracked: findTracked([entry], packet('tcp 10.20.0.10:40000 > 10.20.0.100:80')),
    },
  );
  expect(asked[0]).toEqual(['ofproto/trace', 'br-lb', 'in_port=11,tcp', '--ct-next', 'trk,est,dnat']);
  expect(asked[1]![0]).toBe('ofproto/trace-packet-out');
  const flow = asked[1]![2]!;
  expect(flow).toMatch(/^tcp,reg0=0x2,reg3=0x1,reg4=0xa,reg5=0x15,in_port=11,/);
  expect(flow).toMatch(/nw_dst=10\.30\.0\.2,tcp_dst=8080,ct_state=trk\|est\|dnat,ct_zone=1,ct_mark=33$/);
  expect(flow).not.toMatch(/recirc_id|10\.20\.0\.100/);
  expect(asked[1]![3]).toBe('resubmit(,10)');
  expect(passes[1]!.resumed).toMatchObject({ assumed: false });
});

it('what is no trace is said to be none', () => {
  expect(() => parseTrace('no such bridge')).toThrow('not an ofproto/trace: no such bridge');
});
