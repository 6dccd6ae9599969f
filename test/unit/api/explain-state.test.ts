import { describe, expect, it } from 'vitest';
import { explainState } from '#shared/api/explain-state.ts';
import type { WorkloadState } from '#shared/ports/status-source.ts';
import { workloadStateOf } from '#test/fakes/workload-state.ts';
import { counts } from '#test/fixtures/wec-rows.ts';
import { status, WEB } from './ask.ts';

const ROWS = 1_000;
const SLICE_ROWS = 200;

function reported(wec: number) {
  return status(WEB, `edge-${String(wec).padStart(4, '0')}`, { status: counts(3, [3, 3, 3]) });
}

function largeState(): WorkloadState {
  const others = Array.from({ length: ROWS - 1 }, (_, wec) => reported(wec + 1));
  return workloadStateOf([reported(0), ...others], { applied: { upToDate: true }, refused: [] });
}

describe('the explanation of a large object', () => {
  it('lets everything else go on after each slice of rows', async () => {
    let [others, isDone] = [0, false];
    const count = (): void => {
      others += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const { explanation } = await explainState(largeState(), new AbortController().signal);
    isDone = true;
    expect(explanation.wecs).toMatchObject({ qualified: ROWS, reported: ROWS });
    expect(others).toBeGreaterThanOrEqual(ROWS / SLICE_ROWS);
  });

  it('ends when nobody waits for it any more', async () => {
    const gone = new AbortController();
    const explaining = explainState(largeState(), gone.signal);
    gone.abort(new Error('nobody waits'));
    await expect(explaining).rejects.toThrow('nobody waits');
  });
});
