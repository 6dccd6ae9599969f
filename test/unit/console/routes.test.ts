import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRoute, type Route, routeText } from '#console/model/routes.ts';
import { WORST_FIRST } from '#shared/core/explanation/shown-verdict.ts';
import { anyCharacter } from '#test/any-character.ts';

const NAME = fc
  .string({ minLength: 1, unit: anyCharacter })
  .filter((text) => text.isWellFormed() && text !== '-');
const PLACE = fc.record({ resource: NAME, namespace: fc.oneof(fc.constant(''), NAME), name: NAME });
const OPTIONAL = { requiredKeys: ['screen', 'workload'] as ('screen' | 'workload')[] };

const ROUTES: fc.Arbitrary<Route> = fc.oneof(
  fc.record(
    {
      screen: fc.constant('workload' as const),
      workload: PLACE,
      verdict: fc.constantFrom(...WORST_FIRST),
      text: NAME,
      sort: NAME,
    },
    OPTIONAL,
  ),
  fc.record(
    { screen: fc.constant('why' as const), workload: PLACE, field: NAME, without: NAME },
    OPTIONAL,
  ),
  fc.record({ screen: fc.constant('combined' as const), workload: PLACE }),
  fc.record({ screen: fc.constant('wec' as const), wec: NAME }),
  fc.record(
    {
      screen: fc.constant('query' as const),
      packed: NAME,
      sort: NAME,
      about: PLACE,
      ready: NAME,
      only: NAME,
    },
    { requiredKeys: ['screen'] },
  ),
  fc.record({ screen: fc.constant('overview' as const), label: NAME }),
);

describe('the address of a screen', () => {
  it('says all that is shown', () => {
    fc.assert(
      fc.property(ROUTES, (route) => {
        expect(parseRoute(routeText(route))).toEqual(route);
      }),
    );
  });

  it.each<[string, Route]>([
    ['', { screen: 'overview' }],
    ['#/', { screen: 'overview' }],
    ['#/?v=Degraded', { screen: 'overview', verdict: 'Degraded' }],
    ['#/?v=toString', { screen: 'overview' }],
    [
      '#/workload/services/-/web',
      { screen: 'workload', workload: { resource: 'services', namespace: '', name: 'web' } },
    ],
    ['#/workload/services', { screen: 'unknown' }],
    ['#/workload/services/shop/web/other', { screen: 'unknown' }],
    ['#/wec/%E0%A4%A', { screen: 'wec', wec: '%E0%A4%A' }],
    ['#/wec/', { screen: 'unknown' }],
    ['#/query/services', { screen: 'unknown' }],
    ['#/query/services/shop/web/other', { screen: 'unknown' }],
    ['#/elsewhere', { screen: 'unknown' }],
  ])('%s', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });
});
