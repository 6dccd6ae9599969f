import { describe, expect, it } from 'vitest';
import { RevisionClock } from '#shared/state/status-source/revision-clock.ts';

const NOW = 1_764_000_000_000;

describe('a revision', () => {
  it('is the time in microseconds, and greater than every one before', () => {
    let nowMs = NOW;
    const revisions = new RevisionClock(() => nowMs);
    expect(revisions.now()).toBe(NOW * 1000);
    expect(revisions.now()).toBe(NOW * 1000 + 1);
    // The clock is set back.
    nowMs -= 5_000;
    expect(revisions.now()).toBe(NOW * 1000 + 2);
    nowMs += 10_000;
    expect(revisions.now()).toBe((NOW + 5_000) * 1000);
  });

  it('is greater than what a client knows from a process whose clock is ahead', () => {
    const ahead = new RevisionClock(() => NOW + 900).now();
    const behind = new RevisionClock(() => NOW);
    behind.note(ahead);
    expect(behind.now()).toBeGreaterThan(ahead);
    behind.note(NOW);
    expect(behind.now()).toBeGreaterThan(ahead);
  });

  it('is not moved by a revision of the far future', () => {
    const revisions = new RevisionClock(() => NOW);
    revisions.note((NOW + 3_600_000) * 1000);
    revisions.note(Number.POSITIVE_INFINITY);
    expect(revisions.now()).toBe(NOW * 1000);
  });
});
