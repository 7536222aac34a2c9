/**
 * A million mutated messages through the decoder: no crash, no hang, only typed errors, and never more memory than a
 * small multiple of the input. `npx tsx bench/fuzz.ts [COUNT [SEED]]`
 */
import { corpus } from '../test/fuzz/ofp/corpus.js';
import { mutate } from '../test/fuzz/ofp/mutate.js';
import { attempt, sayAgain } from '../test/fuzz/ofp/target.js';
import { Random } from '../test/property/ofp/random.js';
import { result, writeResult } from './harness.js';

const count = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? 1);
const random = new Random(seed);
const valid = corpus(random, seed);

const seen = { decoded: 0, refused: 0 };
let slowest = 0;
const memory = process.memoryUsage.rss();
const start = performance.now();
for (let i = 0; i < count; i++) {
  const bytes = mutate(random.pick(valid), random);
  const before = performance.now();
  try {
    const verdict = attempt(bytes);
    seen[verdict]++;
    slowest = Math.max(slowest, performance.now() - before);
    if (verdict === 'decoded' && i % 16 === 0) sayAgain(bytes);
  } catch (e) {
    console.error(`message ${i} of seed ${seed}: ${Buffer.from(bytes).toString('hex')}`);
    throw e;
  }
}
const seconds = (performance.now() - start) / 1000;
console.log(`${seen.decoded} decoded, ${seen.refused} refused, slowest ${slowest.toFixed(2)} ms`);
writeResult('fuzz', [
  result('mutated_messages', 'messages', [count]),
  result('decoded', 'messages', [seen.decoded]),
  result('fuzz_rate', 'per second', [count / seconds]),
  result('slowest_message', 'ms', [slowest]),
  result('memory_growth', 'MiB', [(process.memoryUsage.rss() - memory) / 2 ** 20]),
]);
