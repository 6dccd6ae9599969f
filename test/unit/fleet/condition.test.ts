import { describe, expect, it } from 'vitest';
import { type ConditionChange, findCondition, setCondition } from '#shared/core/fleet/condition.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const BEFORE = '2026-11-21T11:00:00Z';
const NOW = '2026-11-21T12:00:00Z';

const installed: JsonObject = { type: 'Installed', status: 'True', lastUpdateTime: BEFORE };
const notReady: JsonObject = {
  type: 'Ready',
  status: 'False',
  lastUpdateTime: BEFORE,
  lastTransitionTime: BEFORE,
  reason: 'Error',
  message: 'deployment.apps shop/web [progressing] Ready: 0/1',
};

function set(conditions: JsonValue | undefined, change: ConditionChange): readonly JsonObject[] {
  return setCondition(conditions, change, NOW);
}

describe('a condition that is set', () => {
  it.each<readonly [what: string, change: ConditionChange, after: JsonObject]>([
    [
      'gets the time with another status, and loses reason and message',
      { type: 'Ready', status: 'True' },
      { type: 'Ready', status: 'True', lastUpdateTime: NOW, lastTransitionTime: BEFORE },
    ],
    [
      'gets the time with another message',
      { type: 'Ready', status: 'False', reason: 'Error', message: 'not ready' },
      { ...notReady, message: 'not ready', lastUpdateTime: NOW },
    ],
    [
      'gets the time when its message goes',
      { type: 'Ready', status: 'False', reason: 'Error', message: '' },
      {
        type: 'Ready',
        status: 'False',
        lastUpdateTime: NOW,
        lastTransitionTime: BEFORE,
        reason: 'Error',
      },
    ],
    [
      'keeps the time with another reason only',
      { ...(notReady as unknown as ConditionChange), reason: 'Waiting' },
      { ...notReady, reason: 'Waiting' },
    ],
    ['stays as it is with nothing new', notReady as unknown as ConditionChange, notReady],
  ])('%s (fleet agent, monitor/condition)', (_what, change, after) => {
    expect(set([installed, notReady], change)).toEqual([installed, after]);
  });

  it('keeps its place and the place of the others', () => {
    const types = set([notReady, installed], { type: 'Ready', status: 'True' });
    expect(types.map(({ type }) => type)).toEqual(['Ready', 'Installed']);
  });

  it('is the first one of its type', () => {
    const second = { ...notReady, message: 'second' };
    const after = { type: 'Ready', status: 'Unknown', lastUpdateTime: NOW };
    expect(
      set([{ type: 'Ready', status: 'True' }, second], { type: 'Ready', status: 'Unknown' }),
    ).toEqual([after, second]);
  });

  it('gets the time if its status is of the wrong type', () => {
    const change = { type: 'Ready', status: 'True' } as const;
    expect(set([{ type: 'Ready', status: 1 }], change)).toEqual([
      { ...change, lastUpdateTime: NOW },
    ]);
  });

  it.each<readonly [what: string, change: ConditionChange, after: JsonObject]>([
    [
      'with the time',
      { type: 'Ready', status: 'False', reason: 'Error', message: 'not ready' },
      {
        type: 'Ready',
        status: 'False',
        lastUpdateTime: NOW,
        reason: 'Error',
        message: 'not ready',
      },
    ],
    [
      'without a time when it is Unknown without a message: it begins so',
      { type: 'Ready', status: 'Unknown', reason: 'Waiting' },
      { type: 'Ready', status: 'Unknown', reason: 'Waiting' },
    ],
  ])('comes last when it is new, %s (fleet agent, monitor/condition)', (_what, change, after) => {
    expect(set([installed], change)).toEqual([installed, after]);
  });

  it.each<readonly [what: string, conditions: JsonValue | undefined]>([
    ['no list', undefined],
    ['null', null],
    ['text', 'Ready'],
    ['a list of no objects', ['Ready', null, [], 3]],
  ])('is the only one if there is %s', (_what, conditions) => {
    expect(set(conditions, { type: 'Ready', status: 'True' })).toEqual([
      { type: 'Ready', status: 'True', lastUpdateTime: NOW },
    ]);
  });
});

describe('the condition of a type', () => {
  it.each<readonly [what: string, conditions: JsonValue | undefined, found: unknown]>([
    ['the first of several', [installed, notReady, { type: 'Ready', status: 'True' }], notReady],
    ['found behind what is no condition', ['Ready', null, { status: 'True' }, notReady], notReady],
    ['undefined in an empty list', [], undefined],
    ['undefined where no type fits', [installed], undefined],
    ['undefined in what is no list', { type: 'Ready' }, undefined],
    ['undefined in nothing', undefined, undefined],
  ])('is %s', (_what, conditions, found) => {
    expect(findCondition(conditions, 'Ready')).toEqual(found);
  });
});
