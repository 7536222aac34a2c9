/** A million mutated messages through the decoder: no crash, no hang, only typed errors. `npx tsx bench/fuzz.ts [COUNT [SEED]]` */
import { mutate } from '../test/fuzz/ofp/mutate.js';
import { Random } from '../test/property/ofp/random.js';
import { messageSamples } from '../test/property/ofp/samples.js';
import '../src/nx-extensions/index.js';
import { decodeMessage, encodeMessage, OfpDecodeError, VERSIONS, Writer } from '../src/ofp/index.js';
import { result, writeResult } from './harness.js';

const count = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? 1);
const random = new Random(seed);

const corpus: Uint8Array[] = [];
for (const sample of Object.values(messageSamples)) {
  for (const version of VERSIONS) {
    for (let i = 0; i < 8; i++) {
      const message = sample(random, version);
      if (message === undefined) continue;
      const w = new Writer();
      encodeMessage(w, version, i, message);
      corpus.push(w.take());
    }
  }
}

let decoded = 0;
let refused = 0;
let slowest = 0;
const start = performance.now();
for (let i = 0; i < count; i++) {
  const bytes = mutate(random.pick(corpus), random);
  const before = performance.now();
  try {
    decodeMessage(bytes);
    decoded++;
  } catch (e) {
    if (!(e instanceof OfpDecodeError)) {
      console.error(`message ${i} of seed ${seed}: ${Buffer.from(bytes).toString('hex')}`);
      throw e;
    }
    refused++;
  }
  slowest = Math.max(slowest, performance.now() - before);
}
const seconds = (performance.now() - start) / 1000;
console.log(`${decoded} decoded, ${refused} refused, slowest ${slowest.toFixed(2)} ms`);
writeResult('fuzz', [
  result('mutated_messages', 'messages', [count]),
  result('fuzz_rate', 'per second', [count / seconds]),
  result('slowest_message', 'ms', [slowest]),
]);
