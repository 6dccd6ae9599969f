import { expect, it } from 'vitest';
import { applyJsonPatch } from '#local/simulated-cluster/json-patch.ts';
import type { StatusError } from '#shared/api/status-error.ts';
import type { JsonValue } from '#shared/core/json.ts';

const LABELLED = { metadata: { labels: { 'a/b': '1', 'c~d': '2' } }, list: [1, 2, 3] };

type Case = readonly [name: string, document: JsonValue, patch: JsonValue, expected: JsonValue];

const APPLIED: readonly Case[] = [
  ['adds a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
  ['adds in place of a member', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
  ['adds before an entry', [1, 3], [{ op: 'add', path: '/1', value: 2 }], [1, 2, 3]],
  ['adds at the end by index', [1], [{ op: 'add', path: '/1', value: 2 }], [1, 2]],
  ['adds at the end by a dash', [1], [{ op: 'add', path: '/-', value: 2 }], [1, 2]],
  ['adds null', {}, [{ op: 'add', path: '/a', value: null }], { a: null }],
  ['replaces the whole', { a: 1 }, [{ op: 'replace', path: '', value: 5 }], 5],
  ['adds the whole', { a: 1 }, [{ op: 'add', path: '', value: 5 }], 5],
  [
    'replaces deep in a list',
    [{ a: [1, 2] }],
    [{ op: 'replace', path: '/0/a/1', value: 9 }],
    [{ a: [1, 9] }],
  ],
  ['removes an entry', [1, 2], [{ op: 'remove', path: '/0' }], [2]],
  ['moves', { a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
  ['copies', { a: [1] }, [{ op: 'copy', from: '/a/0', path: '/a/-' }], { a: [1, 1] }],
  [
    'tests and goes on',
    { a: 1 },
    [
      { op: 'test', path: '/a', value: 1 },
      { op: 'remove', path: '/a' },
    ],
    {},
  ],
  [
    'unescapes slashes and tildes',
    LABELLED,
    [
      { op: 'remove', path: '/metadata/labels/a~1b' },
      { op: 'replace', path: '/metadata/labels/c~0d', value: '3' },
    ],
    { metadata: { labels: { 'c~d': '3' } }, list: [1, 2, 3] },
  ],
];

it.each(APPLIED.map(([name, ...given]) => [name, given] as const))('%s', (_name, given) => {
  const [document, patch, expected] = given;
  expect(applyJsonPatch(document, patch)).toEqual(expected);
});

it.each<[string, JsonValue, number]>([
  ['a patch that is no list', {}, 400],
  ['an unknown operation', [{ op: 'twist', path: '/list' }], 400],
  ['a path that is no pointer', [{ op: 'remove', path: 'list' }], 400],
  ['a failing test', [{ op: 'test', path: '/list/0', value: 2 }], 422],
  ['a missing member to remove', [{ op: 'remove', path: '/none' }], 422],
  ['a missing member to replace', [{ op: 'replace', path: '/none', value: 1 }], 422],
  ['a missing parent', [{ op: 'add', path: '/none/a', value: 1 }], 422],
  ['an index beyond the end', [{ op: 'add', path: '/list/4', value: 1 }], 422],
  ['an index beyond the last to replace', [{ op: 'replace', path: '/list/3', value: 1 }], 422],
  ['an index with a leading zero', [{ op: 'remove', path: '/list/01' }], 422],
  ['a step into a plain value', [{ op: 'add', path: '/list/0/a', value: 1 }], 422],
  ['the removal of the whole', [{ op: 'remove', path: '' }], 422],
])('refuses %s', (_name, patch, code) => {
  expect(() => applyJsonPatch(LABELLED, patch)).toThrow(
    expect.objectContaining<Partial<StatusError>>({ code }),
  );
});
