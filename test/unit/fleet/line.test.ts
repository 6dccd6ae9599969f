import { describe, expect, it } from 'vitest';
import { modifiedLine, nonReadyLine, resourceName } from '#shared/core/fleet/line.ts';
import type { JsonObject } from '#shared/core/json.ts';

const web: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
};
const NAME = 'deployment.apps shop/web';
const MAX = 512;

describe('the name of a resource (Status Fields, resource lines)', () => {
  it.each<readonly [name: string, entry: JsonObject]>([
    [NAME, web],
    [
      'configmap.v1 shop/settings',
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings' },
    ],
    [
      'clusterrole.rbac.authorization.k8s.io reader',
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'reader' },
    ],
    ['widget gizmo', { kind: 'Widget', name: 'gizmo' }],
    ['widget shop/', { kind: 'Widget', namespace: 'shop' }],
    [' ', {}],
    [' ', { apiVersion: 1, kind: null, namespace: [], name: {} }],
  ])('%s', (name, entry) => {
    expect(resourceName(entry)).toBe(name);
  });
});

describe('the line of a modified resource (Status Fields, ModifiedStatus)', () => {
  it.each<readonly [line: string, entry: JsonObject]>([
    [`${NAME} is not owned by us`, { missing: true, exist: true }],
    [`${NAME} missing`, { missing: true }],
    [`${NAME} missing`, { missing: true, delete: true, patch: '{}' }],
    [`${NAME} extra`, { delete: true, exist: true }],
    [`${NAME} modified {"spec":{"replicas":2}}`, { patch: '{"spec":{"replicas":2}}' }],
    [`${NAME} modified `, {}],
    [`${NAME} modified `, { missing: 'true', delete: 1, patch: {} }],
  ])('%s', (line, entry) => {
    expect(modifiedLine({ ...web, ...entry })).toBe(line);
  });

  const FACE = '😀';

  it.each([
    ['whole when it just fits', 'x'.repeat(MAX), 'x'.repeat(MAX)],
    ['cut when it is longer', 'x'.repeat(MAX + 1), `${'x'.repeat(MAX - 3)}...`],
    [
      'cut before a character that would be halved',
      `${'x'.repeat(MAX - 4)}${FACE}xxx`,
      `${'x'.repeat(MAX - 4)}...`,
    ],
    [
      'cut behind a character that fits',
      `${'x'.repeat(MAX - 5)}${FACE}xxxx`,
      `${'x'.repeat(MAX - 5)}${FACE}...`,
    ],
  ])('shows the patch %s', (_what, patch, shown) => {
    expect(modifiedLine({ ...web, patch })).toBe(`${NAME} modified ${shown}`);
  });
});

describe('the line of a resource that is not ready (Status Fields, NonReadyStatus)', () => {
  it.each<readonly [line: string, summary: JsonObject]>([
    [`${NAME} active`, { state: 'active' }],
    [`${NAME} active`, { state: 'active', message: ['not shown'] }],
    [`${NAME} [progressing]`, { state: 'updating', transitioning: true }],
    [`${NAME} [progressing] a, b`, { state: 'updating', transitioning: true, message: ['a', 'b'] }],
    [
      `${NAME} [progressing,error] a`,
      { state: 'updating', transitioning: true, error: true, message: ['a'] },
    ],
    // Fleet writes `error]`.
    [`${NAME} [error] a`, { state: 'error', error: true, message: ['a'] }],
    [`${NAME} [error]`, { state: 'error', error: true, message: [] }],
    [`${NAME} [error]`, { error: true, message: 'a' }],
    [`${NAME} [error] a`, { error: true, message: [1, 'a', null] }],
  ])('%s', (line, summary) => {
    expect(nonReadyLine({ ...web, summary })).toBe(line);
  });

  it.each<readonly [what: string, message: readonly string[], shown: string]>([
    ['whole when they just fit', ['x'.repeat(MAX)], 'x'.repeat(MAX)],
    ['cut when one is longer', ['x'.repeat(50_000)], `${'x'.repeat(MAX - 3)}...`],
    [
      'cut when they are longer together',
      ['x'.repeat(MAX), 'y'.repeat(MAX)],
      `${'x'.repeat(MAX - 3)}...`,
    ],
  ])('shows messages %s', (_what, message, shown) => {
    const summary = { state: 'error', error: true, message };
    expect(nonReadyLine({ ...web, summary })).toBe(`${NAME} [error] ${shown}`);
  });

  it('ends after the name without a summary', () => {
    expect(nonReadyLine(web)).toBe(`${NAME} `);
  });
});
