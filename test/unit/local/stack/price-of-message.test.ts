import { describe, expect, it } from 'vitest';
import { priceOfMessage } from '#local/stack/queues.ts';

const MIB = 1024 * 1024;

describe('the price of a message of events', () => {
  it('is what the message takes if that is a MiB, and grows with its fourth power, within limits', () => {
    expect(priceOfMessage('wec/cluster1', MIB / 64)).toBe(MIB / 64 / 8);
    expect(priceOfMessage('wec/cluster1', MIB / 2)).toBe(MIB / 16);
    expect(priceOfMessage('wec/cluster1', 0.75 * MIB)).toBe(0.75 ** 4 * MIB);
    expect(priceOfMessage('wec/cluster1', MIB)).toBe(MIB);
    expect(priceOfMessage('wec/cluster1', 1.5 * MIB)).toBe(1.5 ** 4 * MIB);
    expect(priceOfMessage('wec/cluster1', 2 * MIB)).toBe(8 * MIB);
    expect(priceOfMessage('wec/cluster1', 4 * MIB)).toBe(16 * MIB);
    expect(priceOfMessage('wec/cluster1', 11 * MIB)).toBe(44 * MIB);
  });

  it('is an eighth for a WDS, which speaks for many users', () => {
    expect(priceOfMessage('wds/wds1', MIB)).toBe(MIB / 8);
    expect(priceOfMessage('fleet/upstream', MIB)).toBe(MIB);
  });
});
