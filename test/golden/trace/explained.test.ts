import { expect, it } from 'vitest';
import { describeTrace } from '../../../src/cli/commands/trace.js';
import { explain, parseAnswered, TraceNames } from '../../../src/trace/index.js';
import { readRecording } from './recording.js';
import { CASES, flowFor, known, provider, tenants } from './scene.js';

it('what lbctl trace says to what a real switch said (`npx vitest run -u` rewrites it)', async () => {
  const names = new TraceNames(tenants, provider, known.ports);
  const recorded = readRecording();
  expect([...recorded.keys()]).toEqual(CASES.map((c) => c.name));
  let text = '';
  for (const c of CASES) {
    const { flow, notes, from } = await flowFor(c);
    const record = recorded.get(c.name)!;
    expect(record.flow).toBe(flow);
    const result = { ...explain(parseAnswered(record.raw, c.ctNext?.length ?? 0), names), from, packet: c.packet, flow, notes, raw: record.raw };
    text += `### ${c.name}\n${describeTrace(result, false)}\n`;
  }
  await expect(text).toMatchFileSnapshot('explained.txt');
});
