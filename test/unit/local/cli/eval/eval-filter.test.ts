import { describe, expect, it } from 'vitest';
import { notAName, notGiven } from '#local/cli/input/object-messages.ts';
import { at } from '#shared/core/json.ts';
import { ALL, fixture, items, starfold } from '#test/unit/local/cli/command.ts';

const COMBINED =
  'CombinedStatus 6c0c5d0e-6a3a-4c9e-9d51-0d8d5b1f7a01.0b7a3c55-0f0e-4f5e-8f7e-5a8a4c1d2b0f';

/** The printed objects, as `Kind name`. */
function titles(...args: readonly string[]): readonly string[] {
  const { code, out } = starfold(['eval', '-o', 'json', ...args, ...ALL]);
  expect(code).toBe(0);
  return items(out).map((one) => `${one['kind']} ${at(one, 'metadata', 'name')}`);
}

describe('starfold eval of some objects', () => {
  it.each(['deployment/web', 'deploy/web', 'deployments.apps/web'])(
    '%s prints the object, and the CombinedStatus about it',
    (text) => {
      expect(titles(text)).toEqual(['Deployment web', COMBINED]);
    },
  );

  it('prints several objects, whatever their kind', () => {
    expect(titles('svc/web', 'statuscollector/broken')).toEqual([
      'Service web',
      'StatusCollector broken',
    ]);
  });

  it.each([
    ['status', ['Namespace shop', 'Service web', 'Deployment web']],
    ['combined', [COMBINED]],
    ['errors', ['Binding shop', 'StatusCollector broken']],
  ])('--only %s', (only, wanted) => {
    const found = titles('--only', only);
    expect(found).toEqual(expect.arrayContaining(wanted));
    expect(found.filter((title) => title !== 'BindingPolicy shop')).toHaveLength(wanted.length);
  });

  it('combines both', () => {
    expect(titles('deployment/web', '-n', 'shop', '--only', 'combined')).toEqual([COMBINED]);
    expect(titles('svc/web', '--only', 'errors')).toEqual([]);
  });

  it('prints the object as eval does without a filter', () => {
    const whole = items(starfold(['eval', '-o', 'json', ...ALL]).out);
    const [web] = items(starfold(['eval', '-o', 'json', 'deployment/web', ...ALL]).out);
    expect(whole).toContainEqual(web);
  });

  it('names the objects if there is none of a name', () => {
    const { code, out, err } = starfold(['eval', 'deployment/web', '-n', 'other', ...ALL]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const asked = { text: 'deployment/web', namespace: 'other' };
    const near = 'deployment/web -n shop';
    expect(err).toBe(`starfold: ${notGiven(asked, [near], near)}\n`);
    expect(starfold(['eval', 'web', '-f', fixture('wds.yaml')])).toMatchObject({
      code: 2,
      err: expect.stringContaining(notAName('web')),
    });
  });
});
