import { describe, expect, it } from 'vitest';
import { oneVersionOfEach } from '#functions/event-forwarder/returned-resources.ts';

const V1 = { group: 'autoscaling', version: 'v1', resource: 'horizontalpodautoscalers' };
const V2 = { ...V1, version: 'v2' };
const V3 = { ...V1, version: 'v3' };
const PODS = { group: '', version: 'v1', resource: 'pods' };

describe('of two versions of a resource', () => {
  it.each([
    { which: 'the first, where none is followed', named: [V1, V2], followed: [], taken: V1 },
    { which: 'the first, where it is followed', named: [V1, V2], followed: [V1], taken: V1 },
    { which: 'the second, where that is followed', named: [V1, V2], followed: [V2], taken: V2 },
    { which: 'the first, where a third is followed', named: [V2, V1], followed: [V3], taken: V2 },
  ])('is taken $which', ({ named, followed, taken }) => {
    expect(oneVersionOfEach([PODS, ...named, PODS], [PODS, ...followed])).toEqual([PODS, taken]);
  });
});
