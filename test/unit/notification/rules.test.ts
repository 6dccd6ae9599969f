import { describe, expect, it } from 'vitest';
import { compile } from '#shared/core/expression/compile.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { compileRules, matchRule, type RuleText } from '#shared/core/notification/rules.ts';

const TYPE = 'dev.starfold.verdict.changed.v1';
const EVENT: JsonObject = {
  id: 'i',
  type: TYPE,
  subject: 'apps/deployments/shop/web',
  data: { status: 'Degraded', previous: 'Healthy', workload: { name: 'web' } },
};

function ruleOf(text: Partial<RuleText>) {
  const { rules, faults } = compileRules([{ name: 'r', events: [TYPE], send: ['s'], ...text }]);
  expect(faults).toEqual([]);
  const [rule] = rules;
  if (rule === undefined) throw new Error('no rule');
  return rule;
}

function match(text: Partial<RuleText>) {
  return matchRule(ruleOf(text), EVENT);
}

describe('a rule', () => {
  it('without a condition matches each event of its types', () => {
    expect(match({})).toEqual({ type: 'yes' });
    expect(match({ events: ['dev.starfold.silence.changed.v1'] })).toEqual({ type: 'no' });
  });

  it.each([
    ['event.data.status == "Degraded"', 'yes'],
    ['event.data.status != event["data"].previous && event.subject.startsWith("apps/")', 'yes'],
    ['event.data.status == "Healthy"', 'no'],
    ['event.data.message == "x"', 'failed'],
    ['dyn(event.subject)', 'failed'],
    ['has(event.data.message)', 'no'],
  ])('with the condition %s: %s', (condition, expected) => {
    expect(match({ condition }).type).toBe(expected);
  });

  it('whose condition has no truth value says so', () => {
    expect(match({ condition: 'dyn(event.subject)' })).toEqual({
      type: 'failed',
      field: 'condition',
      error: 'it is string, not bool',
    });
  });

  it('that takes too many steps fails', () => {
    const each = (name: string, inner: string): string =>
      `event.data.refused.all(${name}, ${inner})`;
    const condition = each('a', each('b', each('c', 'a + b + c != ""')));
    const data = { refused: Array.from({ length: 100 }, () => 'a') };
    const events = ['dev.starfold.refusals.changed.v1'];
    const event = { ...EVENT, type: events[0] as string, data };
    expect(matchRule(ruleOf({ events, condition }), event)).toEqual({
      type: 'failed',
      field: 'condition',
      error: 'operation cancelled: actual cost limit exceeded',
    });
  });

  it.each([
    ['event.data.status', 'string Degraded'],
    ['null', 'null'],
    ['[event.subject, event.data.status]', 'list ["apps/deployments/shop/web","Degraded"]'],
    ['event.data.workload', 'map {"name":"web"}'],
    ['7', 'int 7'],
    ['true', 'bool true'],
  ])('is applied once for each value of %s', (oncePer, once) => {
    expect(match({ oncePer })).toEqual({ type: 'yes', once });
  });

  it('whose oncePer has no value fails', () => {
    expect(match({ oncePer: 'event.data.message' })).toEqual({
      type: 'failed',
      field: 'oncePer',
      error: 'no such key: message',
    });
  });
});

describe('rules that cannot be used', () => {
  it('have all faults, by rule and field', () => {
    const { faults } = compileRules([
      { name: 'a', events: [TYPE], condition: 'obj.x == 1', send: ['s'] },
      { name: 'b', events: [TYPE], condition: '1 + 1', oncePer: 'event.', send: ['s'] },
    ]);
    expect(faults).toEqual([
      {
        rule: 'a',
        field: 'condition',
        message: "line 1, column 1: undeclared reference to 'obj' (in container '')",
      },
      {
        rule: 'b',
        field: 'condition',
        message: 'it is of type int: write an expression that is true or false',
      },
      { rule: 'b', field: 'oncePer', message: expect.stringMatching(/^line 1, column \d+: /) },
    ]);
  });
});

describe('the expressions of StatusCollectors', () => {
  it('do not know the event', () => {
    const compilation = compile('event.data');
    expect(compilation).toMatchObject({ ok: false, errors: [{ code: 'undeclared-reference' }] });
  });
});
