import { describe, expect, it } from 'vitest';
import {
  FLEET_LABELS,
  isTrueAt,
  labelOf,
  namespacedName,
  objectsAt,
} from '#shared/core/fleet-object.ts';
import { type JsonValue, textAt } from '#shared/core/json.ts';
import { bundleDeployment } from '#test/unit/fleet/fixtures/objects.ts';

describe('the fields of an object of Fleet', () => {
  it.each<readonly [value: JsonValue | undefined, text: string]>([
    [{ spec: { repo: 'https://git.example.com' } }, 'https://git.example.com'],
    [{ spec: { repo: 3 } }, ''],
    [{ spec: { repo: null } }, ''],
    [{ spec: 'repo' }, ''],
    [null, ''],
    [undefined, ''],
  ])('%j has the text %j at spec.repo', (value, text) => {
    expect(textAt(value, 'spec', 'repo')).toBe(text);
  });

  it.each<readonly [value: JsonValue, isTrue: boolean]>([
    [{ ready: true }, true],
    [{ ready: false }, false],
    [{ ready: 'true' }, false],
    [{ ready: 1 }, false],
    [{}, false],
  ])('%j is ready: %j', (value, isTrue) => {
    expect(isTrueAt(value, 'ready')).toBe(isTrue);
  });

  it.each<readonly [value: JsonValue, count: number]>([
    [{ list: [{ a: 1 }, 'b', null, [], { c: 2 }] }, 2],
    [{ list: { a: 1 } }, 0],
    [{}, 0],
  ])('of %j, %i entries are objects', (value, count) => {
    expect(objectsAt(value, 'list')).toHaveLength(count);
  });

  it('has labels and a name with its namespace', () => {
    const deployment = bundleDeployment();
    expect(labelOf(deployment, FLEET_LABELS.repo)).toBe('shop');
    expect(labelOf(deployment, FLEET_LABELS.helmOp)).toBe('');
    expect(namespacedName('fleet-default', 'c1')).toBe('fleet-default/c1');
  });
});
