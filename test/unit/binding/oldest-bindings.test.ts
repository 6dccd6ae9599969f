import { describe, expect, it } from 'vitest';
import { bindingTooNew } from '#shared/core/binding/messages.ts';
import {
  type NamingBinding,
  oldestBindings,
  refusedText,
} from '#shared/core/binding/oldest-bindings.ts';
import { MAX_OBJECT_BINDINGS } from '#shared/core/limits.ts';
import { createdOf } from '#shared/core/metadata.ts';

const NOTHING = {
  statusCollectors: [],
  wantSingletonReportedState: false,
  wantMultiWECReportedState: false,
};
const MULTI = { ...NOTHING, wantMultiWECReportedState: true };

function naming(binding: string, created: string, uid = binding): NamingBinding {
  return { binding, bindingUid: uid, created, modulation: MULTI };
}

function names({ counted, refused }: ReturnType<typeof oldestBindings>) {
  return { counted: counted.map(({ binding }) => binding), refused };
}

describe('the Bindings that count for an object', () => {
  it('are all of them, up to 64', () => {
    const all = Array.from({ length: MAX_OBJECT_BINDINGS }, (_one, index) =>
      naming(`b${index}`, ''),
    );
    expect(MAX_OBJECT_BINDINGS).toBe(64);
    expect(oldestBindings(all)).toEqual({ counted: all, refused: [] });
    expect(names(oldestBindings([...all, naming('zz', '')])).refused).toEqual(['zz']);
  });

  it('are the oldest, in the order in which they were given', () => {
    const all = [
      naming('a', '2026-01-03T00:00:00Z'),
      naming('b', '2026-01-02T00:00:00Z'),
      naming('c', '2026-01-01T00:00:00Z'),
    ];
    expect(names(oldestBindings(all, 2))).toEqual({ counted: ['b', 'c'], refused: ['a'] });
  });

  it('of the same second are distinguished by uid, then by name', () => {
    const all = [naming('a', '', '2'), naming('b', '', '1'), naming('c', '', '2')];
    expect(names(oldestBindings(all, 1))).toEqual({ counted: ['b'], refused: ['a', 'c'] });
    expect(names(oldestBindings(all, 2))).toEqual({ counted: ['a', 'b'], refused: ['c'] });
    const twins = [naming('a', '', '1'), naming('a', '', '1')];
    expect(names(oldestBindings(twins, 1))).toEqual({ counted: ['a'], refused: ['a'] });
  });

  it('are before all others if an older release has stored no creationTimestamp', () => {
    const { created: _created, ...stored } = naming('z', '');
    const all = [naming('a', '2026-01-01T00:00:00Z'), stored];
    expect(names(oldestBindings(all, 1))).toEqual({ counted: ['z'], refused: ['a'] });
  });

  it.each([
    ['a flag for singleton status', { ...NOTHING, wantSingletonReportedState: true }],
    ['a flag for multi-WEC status', MULTI],
    ['a collector', { ...NOTHING, statusCollectors: ['c'] }],
  ])('are those first that ask for something, such as %s', (_what, modulation) => {
    const all = [
      { ...naming('asks', '2026-01-01T00:00:00Z'), modulation },
      { ...naming('old', '2025-01-01T00:00:00Z'), modulation: NOTHING },
      { ...naming('older', '2024-01-01T00:00:00Z'), modulation: NOTHING },
    ];
    expect(names(oldestBindings(all, 2))).toEqual({ counted: ['asks', 'older'], refused: [] });
  });
});

describe('a Binding that does not count', () => {
  it('names the object, the limit and the remedy', () => {
    const ref = {
      wds: 'w',
      group: 'apps',
      resource: 'deployments',
      namespace: 'shop',
      name: 'web',
    };
    expect(refusedText(ref)).toBe(bindingTooNew('deployments.apps shop/web', 64));
    expect(refusedText(ref, 2)).toContain('the 2 oldest');
  });
});

describe('createdOf', () => {
  it.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00.5Z', ''],
    ['2026-01-01T05:00:00+05:00', ''],
    ['0', ''],
    [0, ''],
    [null, ''],
  ])('reads %j as %j', (creationTimestamp, created) => {
    expect(createdOf({ metadata: { creationTimestamp } })).toBe(created);
  });

  it('is empty if there is none', () => {
    expect(createdOf({})).toBe('');
  });
});
