import { describe, expect, it } from 'vitest';
import { priceOfMessage } from '#local/stack/queues.ts';

const MIB = 1024 * 1024;

describe('the price of a message of events', () => {
  it('is what the message takes, if it takes no more than a common one', () => {
    expect(priceOfMessage('wec/cluster1', 5_000)).toBe(5_000);
    expect(priceOfMessage('wec/cluster1', MIB)).toBe(MIB);
  });

  it('grows with the square of what an expensive message takes, up to four times', () => {
    expect(priceOfMessage('wec/cluster1', 2 * MIB)).toBe(4 * MIB);
    expect(priceOfMessage('wec/cluster1', 4 * MIB)).toBe(16 * MIB);
    expect(priceOfMessage('wec/cluster1', 11 * MIB)).toBe(44 * MIB);
  });

  it('is an eighth for a WDS, which speaks for many users', () => {
    expect(priceOfMessage('wds/wds1', 800)).toBe(100);
    expect(priceOfMessage('fleet/upstream', 800)).toBe(800);
  });
});
