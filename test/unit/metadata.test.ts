import { expect, it } from 'vitest';
import { metadataFaults, UID_RULE, uidOf, withoutMetadata } from '#shared/core/metadata.ts';

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

it.each([
  ['half a character at the end', 'u\ud800'],
  ['the second half alone', '\udc00u'],
  ['more than 128 characters', 'u'.repeat(129)],
])('a uid with %s counts as absent, and is a fault', (_what, uid) => {
  const object = { metadata: { uid } };
  expect(uidOf(object)).toBe('');
  expect(metadataFaults(object)).toEqual([`metadata.uid: ${UID_RULE}`]);
});

it.each(['', 'u'.repeat(128), '\u{1f600}'])('a uid of whole characters counts: %s', (uid) => {
  expect(uidOf({ metadata: { uid } })).toBe(uid);
  expect(metadataFaults({ metadata: { uid } })).toEqual([]);
});
