import { expect, it } from 'vitest';
import { decodeBatch } from '#shared/events/codec.ts';
import { rowKey } from '#shared/state/keys.ts';
import { HOSTILE_BATCHES, SUBJECT, said, type Verdict } from './events.ts';
import { NOW_MS, RecordBench } from './record-bench.ts';

const { pk: WORKLOAD } = rowKey({ wds: 'wds1', ...SUBJECT }, '');
const SOURCES = ['wec/good', 'wec/bad'];

/** What a message of 4 MB costs at most: the honest event puts an entry and a row. */
const MAX_PUT_BYTES = 1024 * 1024;
const MAX_REQUESTS = 20;

const REFUSED: readonly Verdict[] = ['refused', 'body'];

it.each(HOSTILE_BATCHES)(
  '$what: $verdict, and the honest message beside it is recorded',
  async (hostile) => {
    const { body, verdict, says = /./ } = hostile;
    const bench = new RecordBench(SOURCES);
    const recording = await bench.run([
      { sender: 'bad', body: body() },
      { sender: 'good', body: `[${said('good')}]` },
    ]);
    expect(recording.failed).toEqual([]);
    const rows = new Map((await bench.rows(WORKLOAD)).map((row) => [row.wec, row]));
    expect(rows.get('good')?.row?.status).toEqual({ phase: 'Good' });
    expect(rows.has('bad')).toBe(!REFUSED.includes(verdict));
    expect(rows.get('bad')?.oversizedBytes !== undefined).toBe(verdict === 'oversized');
    expect(rows.get('bad')?.row?.status === undefined).toBe(verdict !== 'recorded');
    const reasons = recording.letters.map((letter) => letter?.reasons.join(' '));
    expect(reasons).toEqual(REFUSED.includes(verdict) ? [expect.stringMatching(says)] : []);
    expect(recording.putBytes).toBeLessThan(MAX_PUT_BYTES);
    expect(recording.requests).toBeLessThan(MAX_REQUESTS);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  },
);

it.each(HOSTILE_BATCHES)('$what: is read the same twice, into less than a portion', ({ body }) => {
  const text = body();
  const decoded = decodeBatch(text, NOW_MS);
  expect(decoded).toEqual(decodeBatch(text, NOW_MS));
  expect(decoded.heapBytes).toBeLessThan(32 * 1024 * 1024);
  expect(decoded.errors.length).toBeLessThanOrEqual(101);
});

it('twenty bombs and one honest message: all are dealt with in one invocation', async () => {
  const bombs = HOSTILE_BATCHES.slice(0, 4).map(({ body }) => body());
  const messages = Array.from({ length: 20 }, (_message, index) => ({
    sender: 'bad',
    body: bombs[index % bombs.length] ?? '',
  }));
  const bench = new RecordBench(SOURCES);
  const recording = await bench.run([...messages, { sender: 'good', body: `[${said('good')}]` }]);
  expect(recording.failed).toEqual([]);
  expect((await bench.rows(WORKLOAD)).map(({ wec }) => wec).sort()).toEqual(['bad', 'good']);
  expect(recording.putBytes).toBeLessThan(10_000);
});
