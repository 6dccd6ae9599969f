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
    ['app in (a', /^app in \(a is not a requirement; write/],
    ['app in (a, b', /^app in \(a is not a requirement; write/],
    ['app in a)', /is not a requirement/],
    ['app in ()', /is not a requirement/],
    ['app in', /is not a requirement/],
    ['app=a b', /is not a requirement/],
    ['app=a=b', /is not a requirement/],
    ['app=>b', /is not a requirement/],
    ['!app=a', /is not a requirement/],
    ['app>many', /is not a requirement/],
    ['app>-1', /^app>-1 is not a requirement; write/],
    ['app<9223372036854775808', /is not a requirement/],
    ['=shop', /is not a requirement/],
    [',', /a requirement is empty/],
    ['app,', /a requirement is empty/],
    ['app,,tier', /a requirement is empty/],
    ['a/b/c=d', /a\/b\/c is not a valid label key/],
    ['-app', /-app is not a valid label key/],
    ['app=-shop', /-shop is not a valid label value/],
    ['app in (a, _b)', /_b is not a valid label value/],
    [`app=${'a'.repeat(64)}`, /is not a valid label value/],
  ])('cannot be "%s"', (selector, says) => {
    expect(labelSelectorFault(selector)).toMatch(says);
  });
});
