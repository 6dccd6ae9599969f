import { expect, it } from 'vitest';
import { withoutMetadata } from '#shared/core/metadata.ts';

it('an object loses fields of its metadata, and nothing else', () => {
  const object = { kind: 'Pod', metadata: { name: 'a', generation: 3, uid: 'u' } };
  expect(withoutMetadata(object, 'generation', 'uid')).toEqual({
    kind: 'Pod',
    metadata: { name: 'a' },
  });
});

it('an object without metadata has none to lose', () => {
  expect(withoutMetadata({ kind: 'Pod' }, 'generation')).toEqual({ kind: 'Pod', metadata: {} });
});
