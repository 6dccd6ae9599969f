import fc from 'fast-check';
import { stringifyJson } from '#shared/core/json.ts';
import { type Explained, explainedSet, wrongExplanations } from './explanations.ts';
import { tables, WIDGET } from './generic-tables.ts';
import { kindSets } from './kind-sets.ts';
import { SITUATIONS } from './kind-verdicts.ts';
import { ALL_KINDS } from './kinds/all.ts';

/**
 * Explains the aggregates of random sets of WECs of each kind, and of a kind without a rule of its own.
 *
 *     node test/property/status/explanations-run.ts [sets of each kind] [text in the names of the kinds] [seed]
 *
 * Prints a line for each kind: how many sets were explained, how many fields their explanations have, how many of them
 * all WECs decide together, and how many are wrong. The first wrong one of each kind is below. Exits with 1 if any is
 * wrong.
 */
const [total = '10000', chosen = '', seed = '1'] = process.argv.slice(2);
const NAME_WIDTH = 34;
const CHUNK = 500;

/** Random WECs, by the name of their kind. */
const SOURCES: readonly (readonly [name: string, sets: fc.Arbitrary<Explained>])[] = [
  ...ALL_KINDS.map(([name, kind]) => {
    const sets = SITUATIONS.map(([, options]) => kindSets(kind, options));
    return [name, fc.oneof(...sets).map(explainedSet)] as const;
  }),
  ['any other kind', tables.map((rows) => ({ workload: WIDGET, specsByHash: new Map(), rows }))],
];

function report(name: string, sets: fc.Arbitrary<Explained>): boolean {
  const sum = { sets: 0, fields: 0, byAll: 0, wrong: 0 };
  let example = '';
  for (let done = 0; done < Number(total); done += CHUNK) {
    const numRuns = Math.min(CHUNK, Number(total) - done);
    for (const one of fc.sample(sets, { numRuns, seed: Number(seed) + done })) {
      const { wrong, fields, byAll } = wrongExplanations(one);
      sum.sets += 1;
      sum.fields += fields;
      sum.byAll += byAll;
      sum.wrong += Number(wrong.length > 0);
      if (wrong.length > 0 && example === '') {
        const { workload, rows } = one;
        example = `  ${wrong.join('; ')}: ${stringifyJson(workload)} ${JSON.stringify(rows)}\n`;
      }
    }
  }
  const counts = `${sum.sets} sets, ${sum.fields} fields, ${sum.byAll} by all, ${sum.wrong} wrong`;
  process.stdout.write(`${name.padEnd(NAME_WIDTH)}${counts}\n${example}`);
  return sum.wrong === 0;
}

const results = SOURCES.filter(([name]) => name.includes(chosen)).map(([name, sets]) =>
  report(name, sets),
);
process.exitCode = results.every((isFine) => isFine) ? 0 : 1;
