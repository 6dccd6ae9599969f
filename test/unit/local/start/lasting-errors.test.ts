import { describe, expect, it } from 'vitest';
import { showOnce } from '#local/start/lasting-errors.ts';
import { diskFull } from '#shared/adapters/sqlite/messages.ts';

const FULL = diskFull('/data/state.sqlite');

function shown() {
  const texts: string[] = [];
  const clock = { ms: 0 };
  const error = showOnce(
    (text) => texts.push(text),
    () => clock.ms,
  );
  return { texts, clock, error };
}

describe('an error of the embedded stack', () => {
  it('is shown once for a full disk, whatever fails there', () => {
    const { texts, error } = shown();
    error(`queue events: QueueUnavailableError: message queue unavailable: delete: ${FULL}`);
    error(`messages could not be handled: message queue unavailable: send: ${FULL}`);
    error(`sweep-stale: StoreUnavailableError: item store unavailable: put: ${FULL}`);
    expect(texts).toEqual([FULL]);
  });

  it('is shown beside other errors, each once', () => {
    const { texts, error } = shown();
    for (const text of ['a', 'b', 'a', 'b', 'c']) error(text);
    expect(texts).toEqual(['a', 'b', 'c']);
  });

  it('is shown again if it has not occurred for a minute', () => {
    const { texts, clock, error } = shown();
    for (const ms of [0, 59_999, 119_998]) {
      clock.ms = ms;
      error(FULL);
    }
    expect(texts).toEqual([FULL]);
    clock.ms += 60_000;
    error(FULL);
    expect(texts).toEqual([FULL, FULL]);
  });

  it('is forgotten if there are many others', () => {
    const { texts, error } = shown();
    for (let index = 0; index <= 100; index += 1) error(`error ${index}`);
    error('error 100');
    error('error 0');
    expect(texts).toHaveLength(102);
  });
});
