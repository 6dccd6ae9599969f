import { describe, expect, it } from 'vitest';
import {
  type DesiredStatus,
  errorCondition,
  readyCondition,
  saying,
  statusWith,
} from '#shared/core/fleet/desired-status.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { bundle } from './fixtures/objects.ts';
import { CREATED, condition } from './fixtures/parts.ts';

const NOW = '2026-11-21T12:00:00Z';
const NOTHING: DesiredStatus = { fields: {}, absent: [], conditions: [] };

describe('a status that is desired', () => {
  it('replaces fields, removes those that are to be absent, and keeps all others', () => {
    const stored: JsonObject = { unavailable: 1, resourceKey: [], partitions: [{ name: 'all' }] };
    const wanted = { ...NOTHING, fields: { unavailable: 0 }, absent: ['resourceKey'] };
    expect(statusWith(stored, wanted, NOW)).toEqual({
      unavailable: 0,
      partitions: [{ name: 'all' }],
    });
  });

  it('has a field that is required although it may be absent', () => {
    const wanted = { ...NOTHING, fields: { resources: [] }, absent: ['resources'] };
    expect(statusWith({ resources: [{}] }, wanted, NOW)).toEqual({ resources: [] });
  });

  it('sets its conditions one after the other, and keeps those of others', () => {
    const conditions = [condition('Accepted', 'True'), condition('Ready', 'False')];
    const wanted = { ...NOTHING, conditions: [readyCondition(''), errorCondition('Stalled', 'x')] };
    expect(statusWith({ conditions }, wanted, NOW)).toEqual({
      conditions: [
        condition('Accepted', 'True'),
        { type: 'Ready', status: 'True', lastUpdateTime: NOW },
        { type: 'Stalled', status: 'False', reason: 'Error', message: 'x', lastUpdateTime: NOW },
      ],
    });
  });

  it('is the present one if none is desired', () => {
    const stored = bundle()['status'] as JsonObject;
    expect(statusWith(stored, NOTHING, NOW)).toEqual(stored);
    expect(statusWith({ conditions: [] }, NOTHING, NOW)).toEqual({ conditions: [] });
  });

  it('is the same when it is desired again', () => {
    const wanted = { ...NOTHING, fields: { a: 1 }, conditions: [readyCondition('not yet')] };
    const once = statusWith({}, wanted, CREATED);
    expect(statusWith(once, wanted, NOW)).toEqual(once);
  });

  it.each<JsonValue | undefined>([undefined, null, 'text', 7, []])('replaces %j', (stored) => {
    expect(statusWith(stored, { ...NOTHING, fields: { a: 1 } }, NOW)).toEqual({ a: 1 });
  });
});

describe('the conditions of a status', () => {
  it('are Ready if there is nothing to report, without a reason (Fleet, Status Fields, Ready Condition)', () => {
    expect(readyCondition('')).toEqual({ type: 'Ready', status: 'True', message: '' });
  });

  it('are not Ready with a message of deployments, without a reason', () => {
    const message = 'WaitApplied(1) [Cluster fleet-default/downstream4]';
    expect(readyCondition(message)).toEqual({ type: 'Ready', status: 'False', message });
  });

  it("lose the reason of a former error with such a message (Fleet's code keeps it)", () => {
    const conditions = [condition('Ready', 'False', { reason: 'Error', message: 'boom' })];
    const wanted = { ...NOTHING, conditions: [readyCondition('NotReady(1) [Bundle shop]')] };
    expect(statusWith({ conditions }, wanted, NOW)['conditions']).toEqual([
      {
        type: 'Ready',
        status: 'False',
        message: 'NotReady(1) [Bundle shop]',
        lastUpdateTime: NOW,
      },
    ]);
  });

  it("are False with the reason Error if there is one (Fleet's code, SetError)", () => {
    expect(errorCondition('Processed', 'spec.selector: must be an object')).toEqual({
      type: 'Processed',
      status: 'False',
      reason: 'Error',
      message: 'spec.selector: must be an object',
    });
  });
});

describe('members that say something', () => {
  it('are neither absent, empty nor false', () => {
    const values = { a: '', b: false, c: undefined, d: 'x', e: true, f: 0, g: [] };
    expect(saying(values)).toEqual({ d: 'x', e: true, f: 0, g: [] });
  });
});
