/** `lbctl ofp-print`: exit statuses, JSON, standard input. */
import { describe, expect, test } from 'vitest';
import type { Io } from '../../../src/cli/io.js';
import { ofpPrint } from '../../../src/cli/ofp-print.js';

async function run(args: readonly string[], input: readonly string[] = []) {
  let stdout = '';
  let stderr = '';
  const io: Io = {
    stdout: { write: (s) => (stdout += String(s)) },
    stderr: { write: (s) => (stderr += String(s)) },
    stdin: (async function* () {
      yield* input;
    })(),
    env: {},
    isTty: false,
    interrupted: new AbortController().signal,
  };
  return { status: await ofpPrint(args, io), stdout, stderr };
}

const BARRIER = '0414000800000001';
const FLOW = [
  '040e005800000002', // header
  '0000000000000007', // cookie
  '0000000000000000',
  '0300000000000005', // table 3, add, priority 5
  'ffffffffffffffffffffffff00000000',
  '0001000c800000040000000100000000', // in_port=1
  '000400180000000000000010000000020000000000000000', // output:2
].join('');

describe('text', () => {
  test('one message', async () => {
    expect(await run([BARRIER])).toEqual({
      status: 0,
      stdout: 'OFPT_BARRIER_REQUEST (OF1.3) (xid=0x1):\n',
      stderr: '',
    });
  });
  test('several, also with blanks and 0x', async () => {
    const { status, stdout } = await run(['0x0414 0008 00000001', BARRIER]);
    expect([status, stdout.split('\n').length]).toEqual([0, 3]);
  });
  test('lines of standard input that come in pieces', async () => {
    const { status, stdout } = await run(
      ['-'],
      [`${BARRIER.slice(0, 5)}`, `${BARRIER.slice(5)}\n\n# comment\n${BARRIER}`],
    );
    expect([status, stdout.match(/BARRIER/g)?.length]).toEqual([0, 2]);
  });
});

describe('what cannot be decoded', () => {
  test('is told with its offset and path; status 1, and the others are printed', async () => {
    const { status, stdout, stderr } = await run(['-'], [`0414000900000001\n${BARRIER}\n`]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^lbctl: line 1: length: .*\(bad-length at byte 2\)\n$/);
    expect(stdout).toContain('OFPT_BARRIER_REQUEST');
  });
  test('is no hexadecimal number', async () => {
    expect(await run(['04x'])).toMatchObject({ status: 1, stdout: '' });
  });
  test('usage', async () => {
    expect((await run([])).status).toBe(1);
    expect((await run(['--bogus', BARRIER])).stderr).toContain('unknown option --bogus');
  });
  test('as data', async () => {
    const { stdout } = await run(['--json', '0414000900000001']);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'bad-length', offset: 2, path: 'length' });
  });
});

test('--json: wide integers and bytes in hexadecimal, fields by name', async () => {
  const { stdout } = await run(['--json', FLOW]);
  const { version, xid, message } = JSON.parse(stdout);
  expect([version, xid]).toEqual([4, 2]);
  expect(message).toMatchObject({ type: 'flow_mod', command: 'add', table: 3, cookie: '0x7' });
  expect(message.match[0]).toEqual({ field: 'in_port', value: 1 });
});

describe('--roundtrip', () => {
  test('silent where the bytes are the same', async () => {
    expect(await run(['--roundtrip', FLOW])).toMatchObject({ status: 0, stderr: '' });
  });
  test('status 2 and both encodings where they differ', async () => {
    // A hello whose bitmap has a second, empty word.
    const odd = '0400001400000001' + '0001000c0000001000000000';
    const { status, stderr } = await run(['--roundtrip', odd]);
    expect(status).toBe(2);
    expect(stderr).toContain('re-encodes differently from byte 3');
    expect(stderr).toContain(odd);
  });
});
