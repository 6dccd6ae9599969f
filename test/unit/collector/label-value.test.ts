import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fnv1a64, labelValue } from '#shared/core/collector/label-value.ts';

describe('the FNV-1a hash', () => {
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
  ])('of %j is the published one', (text, hash) => {
    expect(fnv1a64(text)).toBe(hash);
  });

  it('always has 16 digits', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(fnv1a64(text)).toMatch(/^[0-9a-f]{16}$/);
      }),
    );
  });
});

describe('a label value', () => {
  it.each(['', 'a', 'apps', 'rbac.authorization.k8s.io', 'A_b.c-9', 'x'.repeat(63)])(
    'stays %j if Kubernetes accepts it',
    (text) => {
      expect(labelValue(text)).toBe(text);
    },
  );

  it.each([
    ['x'.repeat(64), `${'x'.repeat(46)}-${fnv1a64('x'.repeat(64))}`],
    ['system:node', `system-node-${fnv1a64('system:node')}`],
    ['-a', `a-${fnv1a64('-a')}`],
    ['a-', `a--${fnv1a64('a-')}`],
    [':', fnv1a64(':')],
    ['ä', fnv1a64('ä')],
  ])('of %j is cut, cleaned and ends in a hash of the whole', (text, expected) => {
    expect(labelValue(text)).toBe(expected);
  });

  it('is one that Kubernetes accepts, whatever the text', () => {
    const names = fc.oneof(
      fc.string({ maxLength: 100 }),
      fc.stringMatching(/^[a-z0-9:._-]{0,100}$/),
    );
    fc.assert(
      fc.property(names, (text) => {
        const value = labelValue(text);
        expect(value.length).toBeLessThanOrEqual(63);
        expect(value).toMatch(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/);
      }),
      { numRuns: 1000 },
    );
  });

  it('differs for texts that are cut or cleaned to the same', () => {
    const values = ['a:b', 'a/b', `${'x'.repeat(63)}y`, `${'x'.repeat(63)}z`].map(labelValue);
    expect(new Set(values).size).toBe(values.length);
  });
});
