import fc from 'fast-check';
import { fuzzedBody, outcomeOf } from './fuzzed-batches.ts';

// npm run fuzz:events -- N SEED
const [count = '100000', seed = '13'] = process.argv.slice(2);
const outcomes = { recorded: 0, letter: 0, failed: 0 };
await fc.assert(
  fc.asyncProperty(fuzzedBody, async (body) => {
    outcomes[await outcomeOf(body)] += 1;
  }),
  { numRuns: Number(count), seed: Number(seed) },
);
const figure = { batches: Number(count), seed: Number(seed), ...outcomes };
process.stdout.write(`${JSON.stringify(figure)}\n`);
