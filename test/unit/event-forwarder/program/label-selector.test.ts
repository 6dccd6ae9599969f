import { describe, expect, it } from 'vitest';
import { labelSelectorFault } from '#functions/event-forwarder/program/label-selector.ts';
import { compileLabelSelector } from '#local/simulated-cluster/label-selector.ts';

describe('a label selector', () => {
  it.each([
    'app',
    '!app',
    '! app',
    'app=shop',
    'app==shop',
    'app = shop',
    'app!=shop',
    'app=',
    'app.kubernetes.io/part-of=shop',
    'app in (a, b)',
    'app in(a)',
    'app in (a,)',
    'app notin (a,b),tier',
    'in in (in)',
    'generation>3',
    'generation < 10',
    'generation>9223372036854775807',
    ' app = shop , !legacy ',
  ])('can be %s', (selector) => {
    expect(labelSelectorFault(selector)).toBeUndefined();
    expect(compileLabelSelector(selector)).toBeTypeOf('function');
  });

  it.each([
    ['', /every object/],
    ['  ', /every object/],
    ['app in (a', /^app in \(a is no requirement$/],
    ['app in (a, b', /^app in \(a is no requirement$/],
    ['app in a)', /is no requirement/],
    ['app in ()', /is no requirement/],
    ['app in', /is no requirement/],
    ['app=a b', /is no requirement/],
    ['app=a=b', /is no requirement/],
    ['app=>b', /is no requirement/],
    ['!app=a', /is no requirement/],
    ['app>many', /is no requirement/],
    ['app>-1', /^app>-1 is no requirement$/],
    ['app<9223372036854775808', /is no requirement/],
    ['=shop', /is no requirement/],
    [',', /a requirement is empty/],
    ['app,', /a requirement is empty/],
    ['app,,tier', /a requirement is empty/],
    ['a/b/c=d', /a\/b\/c cannot be the key of a label/],
    ['-app', /-app cannot be the key/],
    ['app=-shop', /-shop cannot be the value of a label/],
    ['app in (a, _b)', /_b cannot be the value of a label/],
    [`app=${'a'.repeat(64)}`, /cannot be the value/],
  ])('cannot be "%s"', (selector, says) => {
    expect(labelSelectorFault(selector)).toMatch(says);
  });
});
