import { describe, expect, it } from 'vitest';
import { type LabelSelector, parseLabelSelector } from '#shared/core/binding/label-selector.ts';
import {
  NO_LABELS,
  NO_REQUIREMENT,
  NO_SELECTOR,
  notLabelKey,
  notLabelValue,
  valuesForbidden,
  valuesMissing,
} from '#shared/core/binding/messages.ts';
import { misspeltField, NO_LIST, NO_QUOTES, noneOf } from '#shared/core/field-messages.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { Labels } from '#shared/core/labels.ts';

const PATH = 'spec.clusterSelectors[0]';

function selector(value: JsonValue): LabelSelector {
  const reading = parseLabelSelector(value, PATH);
  if (!reading.ok) throw new Error(reading.errors.join('; '));
  return reading.selector;
}

function faults(value: JsonValue): readonly string[] {
  const reading = parseLabelSelector(value, PATH);
  return reading.ok ? [] : reading.errors.map((error) => error.replace(PATH, ''));
}

function expression(operator: JsonValue, values?: JsonValue): JsonValue {
  return {
    matchExpressions: [{ key: 'tier', operator, ...(values === undefined ? {} : { values }) }],
  };
}

const VALUE = notLabelValue(63);
const OPERATORS = noneOf('In, NotIn, Exists, DoesNotExist');

describe('parseLabelSelector', () => {
  it.each<[string, JsonValue, Labels, boolean]>([
    ['matchLabels: the value', { matchLabels: { tier: 'web' } }, { tier: 'web', a: 'b' }, true],
    ['matchLabels: another value', { matchLabels: { tier: 'web' } }, { tier: 'db' }, false],
    ['matchLabels: no such label', { matchLabels: { tier: '' } }, {}, false],
    ['In: listed', expression('In', ['web', 'db']), { tier: 'db' }, true],
    ['In: not listed', expression('In', ['web']), { tier: 'db' }, false],
    ['In: absent', expression('In', ['web', '']), {}, false],
    ['NotIn: listed', expression('NotIn', ['web', 'db']), { tier: 'db' }, false],
    ['NotIn: not listed', expression('NotIn', ['web']), { tier: 'db' }, true],
    ['NotIn: absent', expression('NotIn', ['web']), {}, true],
    ['Exists: there', expression('Exists'), { tier: '' }, true],
    ['Exists: absent', expression('Exists', []), {}, false],
    [
      'Exists: what every JavaScript object inherits',
      { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] },
      {},
      false,
    ],
    ['DoesNotExist: there', expression('DoesNotExist', null), { tier: '' }, false],
    ['DoesNotExist: absent', expression('DoesNotExist'), {}, true],
    ['nothing required', { matchLabels: null, matchExpressions: null }, { tier: 'web' }, true],
  ])('%s', (...[, value, labels, matches]) => {
    expect(selector(value).matches(labels)).toBe(matches);
  });

  it('requires everything that it lists, and reports which labels it reads', () => {
    const both = selector({
      matchLabels: { 'example.org/app': 'shop' },
      matchExpressions: [{ key: 'tier', operator: 'Exists' }],
    });
    expect(both.matches({ 'example.org/app': 'shop', tier: 'db' })).toBe(true);
    expect(both.matches({ 'example.org/app': 'shop' })).toBe(false);
    expect(both.matches({ tier: 'db' })).toBe(false);
    expect([...both.keys]).toEqual(['example.org/app', 'tier']);
  });

  it.each<[JsonValue, boolean]>([
    [{}, true],
    [{ matchLabels: {}, matchExpressions: [] }, true],
    [{ matchLabels: { a: '' } }, false],
  ])('of %j reports whether it requires nothing: %s', (value, isEmpty) => {
    expect(selector(value).isEmpty).toBe(isEmpty);
  });

  it('has one text for one selector, whatever the order of its members', () => {
    const a = selector({ matchLabels: { a: '1', b: '2' }, matchExpressions: [] });
    const b = selector({ matchExpressions: [], matchLabels: { b: '2', a: '1' } });
    expect(a.text).toBe(b.text);
    expect(a.text).not.toBe(selector({ matchLabels: { a: '1' } }).text);
  });

  it.each<[JsonValue, readonly string[]]>([
    [null, [`: ${NO_SELECTOR}`]],
    [[], [`: ${NO_SELECTOR}`]],
    [{ matchLabel: { a: 'b' } }, [`.matchLabel: ${misspeltField('matchLabels')}`]],
    [{ matchLabels: 'a=b' }, [`.matchLabels: ${NO_LABELS}`]],
    [{ matchLabels: { a: 1 } }, [`.matchLabels["a"]: ${VALUE}`]],
    [{ matchLabels: { a: 'x'.repeat(64) } }, [`.matchLabels["a"]: ${VALUE}`]],
    [{ matchLabels: { 'a b': 'c' } }, [`.matchLabels: ${notLabelKey('"a b"')}`]],
    [{ matchExpressions: {} }, [`.matchExpressions: ${NO_LIST}`]],
    [{ matchExpressions: ['a in (b)'] }, [`.matchExpressions[0]: ${NO_REQUIREMENT}`]],
    [
      { matchExpressions: [{ operator: 'Exists' }] },
      [`.matchExpressions[0].key: ${notLabelKey('""')}`],
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      [`.matchExpressions[0].value: ${misspeltField('values')}`],
    ],
    [expression('Equals', ['a']), [`.matchExpressions[0].operator: ${OPERATORS}`]],
    [expression(null, ['a']), [`.matchExpressions[0].operator: ${OPERATORS}`]],
    [expression('In'), [`.matchExpressions[0].values: ${valuesMissing('In')}`]],
    [expression('NotIn', []), [`.matchExpressions[0].values: ${valuesMissing('NotIn')}`]],
    [expression('Exists', ['a']), [`.matchExpressions[0].values: ${valuesForbidden('Exists')}`]],
    [expression('In', ['a', true]), [`.matchExpressions[0].values[1]: ${NO_QUOTES}`]],
    [expression('NotIn', ['a', 'b c']), [`.matchExpressions[0].values[1]: ${VALUE}`]],
  ])('of %j reports the field, the fault and the remedy', (value, expected) => {
    expect(faults(value)).toEqual(expected);
  });

  it.each([
    ['app.kubernetes.io/name', true],
    ['9', true],
    [`${'p'.repeat(253)}/a`, true],
    [`${'p'.repeat(254)}/a`, false],
    ['Upper.io/a', false],
    ['/a', false],
    ['a/', false],
    ['a/b/c', false],
    ['-a', false],
    ['n'.repeat(64), false],
  ])('takes %s for the key of a label: %s', (key, isKey) => {
    expect(parseLabelSelector({ matchLabels: { [key]: '' } }, PATH).ok).toBe(isKey);
  });
});
