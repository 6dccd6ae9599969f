import { expect, it } from 'vitest';
import { applyMergePatch } from '#local/simulated-cluster/merge-patch.ts';
import { applyStrategicMergePatch } from '#local/simulated-cluster/strategic-merge-patch.ts';
import type { JsonValue } from '#shared/core/json.ts';

type Case = readonly [name: string, target: JsonValue, patch: JsonValue, expected: JsonValue];

const CONTAINERS = [
  { name: 'a', image: 'one', args: ['x'] },
  { name: 'b', image: 'two' },
];

const STRATEGIC: readonly Case[] = [
  ['merges members', { a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
  ['removes a member by null', { a: 1, b: 2 }, { a: null }, { b: 2 }],
  [
    'merges a container by its name and keeps the others',
    { containers: CONTAINERS },
    { containers: [{ name: 'a', image: 'three' }] },
    {
      containers: [
        { name: 'a', image: 'three', args: ['x'] },
        { name: 'b', image: 'two' },
      ],
    },
  ],
  [
    'adds an entry with a new key',
    { containers: CONTAINERS },
    { containers: [{ name: 'c' }] },
    { containers: [...CONTAINERS, { name: 'c' }] },
  ],
  [
    'deletes an entry by directive',
    { containers: CONTAINERS },
    {
      containers: [
        { name: 'a', $patch: 'delete' },
        { name: 'none', $patch: 'delete' },
      ],
    },
    { containers: [{ name: 'b', image: 'two' }] },
  ],
  [
    'puts entries in the order of the directive, others last',
    { containers: CONTAINERS },
    { containers: [{ name: 'c' }], '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }] },
    {
      containers: [
        { name: 'c' },
        { name: 'b', image: 'two' },
        { name: 'a', image: 'one', args: ['x'] },
      ],
    },
  ],
  [
    'replaces a list of entries by directive',
    { containers: CONTAINERS },
    { containers: [{ $patch: 'replace' }, { name: 'z' }] },
    { containers: [{ name: 'z' }] },
  ],
  ['replaces a list of plain values', { args: ['x', 'y'] }, { args: ['z'] }, { args: ['z'] }],
  [
    'replaces a list whose key is unknown',
    { rules: [{ host: 'a' }] },
    { rules: [{ host: 'b' }] },
    { rules: [{ host: 'b' }] },
  ],
  [
    'adds to a set of plain values',
    { finalizers: ['a'] },
    { finalizers: ['a', 'b'] },
    { finalizers: ['a', 'b'] },
  ],
  [
    'deletes from a list of plain values',
    { finalizers: ['a', 'b'] },
    { '$deleteFromPrimitiveList/finalizers': ['a'] },
    { finalizers: ['b'] },
  ],
  [
    'replaces an object by directive',
    { a: { b: 1 } },
    { a: { $patch: 'replace', c: 2 } },
    { a: { c: 2 } },
  ],
  ['deletes an object by directive', { a: { b: 1 }, d: 1 }, { a: { $patch: 'delete' } }, { d: 1 }],
  [
    'keeps only the named members by directive',
    { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
    { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    { strategy: { type: 'Recreate' } },
  ],
  [
    'merges ports of a Service by port',
    { ports: [{ port: 80, nodePort: 30000 }] },
    { ports: [{ port: 80, name: 'http' }] },
    { ports: [{ port: 80, nodePort: 30000, name: 'http' }] },
  ],
];

it.each(STRATEGIC.map(([name, ...given]) => [name, given] as const))(
  'a strategic merge patch %s',
  (_name, given) => {
    const [target, patch, expected] = given;
    expect(applyStrategicMergePatch(target, patch)).toEqual(expected);
  },
);

const PLAIN: readonly Case[] = [
  ['merges members', { a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
  [
    'removes by null, at any depth',
    { a: { b: 1 } },
    { a: { b: null }, c: { d: null } },
    { a: {}, c: {} },
  ],
  ['replaces lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ['replaces a plain value by an object', { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
];

it.each(PLAIN.map(([name, ...given]) => [name, given] as const))(
  'a merge patch %s',
  (_name, given) => {
    const [target, patch, expected] = given;
    expect(applyMergePatch(target, patch)).toEqual(expected);
  },
);
