import { describe, expect, it } from 'vitest';
import { zoneOffset } from '#shared/core/expression/time-zone.ts';
import { Timestamp } from '#shared/core/expression/value.ts';

const SUMMER_2024 = new Timestamp(1_720_000_000_000_000_000n, 0);

describe('zoneOffset', () => {
  it.each([
    ['', 0],
    ['UTC', 0],
    ['Europe/Berlin', 7200],
    ['America/St_Johns', -9000],
    ['02:30', 9000],
    ['+2:30', 9000],
    ['-02:30', -9000],
  ])('gives for %j the offset %d', (zone, seconds) => {
    expect(zoneOffset(zone, SUMMER_2024)).toBe(seconds);
  });

  it('still answers after more zones than it keeps', () => {
    const zones = Intl.supportedValuesOf('timeZone').slice(0, 120);
    const offsets = () => zones.map((zone) => zoneOffset(zone, SUMMER_2024));
    const first = offsets();
    expect(first.every((offset) => typeof offset === 'number')).toBe(true);
    expect(offsets()).toEqual(first);
  });
});
