import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_KINDS } from '#test/property/status/kinds/all.ts';
import { faultsOfKind } from './faults.ts';
import { type Judge, judgeFolder, startJudge } from './judge.ts';

const SETS_OF_EACH_KIND = 25_000;
const BUILD_TIMEOUT_MS = 40 * 60_000;
const SHOWN = 5;

/** Argo CD's own code, for the tests of a file. */
export function judgeOfFile(): () => Judge {
  let judge: Judge | undefined;
  beforeAll(async () => {
    judge = await startJudge(await judgeFolder());
  }, BUILD_TIMEOUT_MS);
  afterAll(() => judge?.stop());
  return () => {
    if (judge === undefined) throw new RangeError('the judge does not run');
    return judge;
  };
}

/** Tests that Argo CD itself judges random sets of the chosen kinds as the rest of the suites say that it does. */
export function describeKinds(isChosen: (index: number) => boolean): void {
  const judge = judgeOfFile();
  const kinds = ALL_KINDS.filter((_kind, index) => isChosen(index));
  describe('Argo CD itself says of each object what the port says, and of the aggregate what it says of the worst WEC', () => {
    it.each(kinds)('%s', async (_name, kind) => {
      const { sets, faults } = await faultsOfKind(judge(), kind, SETS_OF_EACH_KIND);
      expect(sets).toBe(SETS_OF_EACH_KIND);
      expect(faults.slice(0, SHOWN)).toEqual([]);
    });
  });
}
