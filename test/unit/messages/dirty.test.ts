import { describe, expect, it } from 'vitest';
import type { Subject } from '#shared/core/subject.ts';
import {
  type DirtyMessage,
  dirtyGroup,
  encodeDirty,
  encodeHint,
  type HintMessage,
  joinsDirty,
  joinsHint,
  parseDirty,
  parseHint,
} from '#shared/messages/dirty.ts';
import { changingTenant, wholeTenant } from '#shared/ports/message-queue.ts';

const WEB = {
  type: 'workload',
  workload: { wds: 'wds1', group: '', resource: 'services', namespace: 'shop', name: 'web' },
} as const satisfies Subject;
const ALL: Subject = { type: 'binding', wds: 'wds1', name: 'all' };
const SINCE = { epoch: 1, sequence: 2 };

const MESSAGES: readonly (readonly [DirtyMessage, string])[] = [
  [{ type: 'subject', subject: WEB }, 'W#wds1//services/shop/web'],
  [{ type: 'subject', subject: WEB, wecs: ['wec1'] }, 'W#wds1//services/shop/web'],
  [{ type: 'subject', subject: WEB, silence: true }, 'W#wds1//services/shop/web'],
  [{ type: 'subject', subject: { type: 'collector', wds: 'wds1', name: 'c' } }, 'C#wds1/c'],
  [{ type: 'members', wds: 'wds1', binding: 'all', revision: 3, cursor: 'x' }, 'B#wds1/all'],
  [{ type: 'sweep', source: { type: 'wec', name: 'wec1' }, since: SINCE }, 'E#wec/wec1'],
  [
    { type: 'sweep', source: { type: 'wds', name: 'wds1' }, since: SINCE, cursor: 'x' },
    'E#wds/wds1',
  ],
];

describe('a message about dirty work', () => {
  it.each(MESSAGES)('%o belongs to the group %s and is read as it was sent', (message, group) => {
    expect(dirtyGroup(message)).toBe(group);
    expect(parseDirty(encodeDirty(message, 'cause').body)).toEqual(message);
  });

  it('shares its group with every message about the same subject, and with no other', () => {
    const groups = MESSAGES.map(([message]) => encodeDirty(message, 'cause').group);
    expect(new Set(groups).size).toBe(5);
    expect(groups[0]).toBe(groups[1]);
  });

  it('lets its group rest if it is about a Binding or a StatusCollector, which lead to work for many objects', () => {
    const restOf = (subject: Subject): number | undefined =>
      encodeDirty({ type: 'subject', subject }, 'cause').restSeconds;
    expect(restOf(ALL)).toBe(1);
    expect(restOf({ type: 'collector', wds: 'wds1', name: 'c' })).toBe(1);
    expect(restOf(WEB)).toBeUndefined();
  });

  it('waits in the part of the turn of its source that the Binding or StatusCollector behind it has', () => {
    const tenantOf = (changedBy: string): string =>
      encodeDirty({ type: 'subject', subject: WEB, changedBy }, 'cause').tenant ?? '';
    const tenants = ['wds/wds1', 'wds/wds1~one', 'wds/wds1~two'].map(tenantOf);
    expect(new Set(tenants).size).toBe(3);
    expect(tenants.map(wholeTenant)).toEqual(['wds/wds1', 'wds/wds1', 'wds/wds1']);
    const hintTenant = (changedBy: string): string =>
      encodeHint({ subject: WEB, objects: [], changedBy }, 'cause').tenant ?? '';
    expect(hintTenant('wds/wds1~one')).not.toBe(hintTenant('wds/wds1~two'));
    expect(wholeTenant(hintTenant('wds/wds1~one'))).toBe(hintTenant('wds/wds1'));
    // Long names of clusters do not make one tenant two: the queue of dirty subjects knows it by the last part.
    const wec = `wec/${'n'.repeat(90)}`;
    const workload = { ...WEB.workload, wds: 'w'.repeat(60) };
    const hint = { subject: { ...WEB, workload }, objects: [], changedBy: wec } as const;
    expect(changingTenant(encodeHint(hint, 'cause').tenant ?? '')).toBe(tenantOf(wec));
    expect(tenantOf(`wds/${'n'.repeat(124)}~one`)).toBe(`wds/${'n'.repeat(124)}`);
  });

  it('is a duplicate of one with the same subject and cause alone', () => {
    const id = (subject: Subject, cause: string) =>
      encodeDirty({ type: 'subject', subject }, cause).deduplicationId;
    expect(id(WEB, 'a')).toBe(id(WEB, 'a'));
    expect(new Set([id(WEB, 'a'), id(WEB, 'b'), id(ALL, 'a')]).size).toBe(3);
  });

  it.each(MESSAGES)(
    '%o carries when the change was, in the same group, as the same duplicate',
    (message) => {
      const plain = encodeDirty(message, 'cause');
      const timed = encodeDirty({ ...message, changedMs: 1234 }, 'cause');
      expect(parseDirty(timed.body)).toEqual({ ...message, changedMs: 1234 });
      expect({ ...timed, body: '' }).toEqual({ ...plain, body: '' });
    },
  );

  it.each(MESSAGES)(
    '%o is read if a newer release has added fields, or changed the time',
    (message) => {
      const newer = { ...message, changedMs: '2026-01-01T00:00:00Z', reason: 'new' };
      expect(parseDirty(JSON.stringify(newer))).toEqual(message);
    },
  );

  it('is one piece of work with those before it if it is about a subject, without strays', () => {
    const joined = MESSAGES.map(([message]) => joinsDirty(encodeDirty(message, 'cause').body));
    expect(joined).toEqual(MESSAGES.map(([{ type }]) => type === 'subject'));
    expect(new Set(joined).size).toBe(2);
    const withStrays = (strays: HintMessage['objects']): string =>
      encodeDirty({ type: 'subject', subject: WEB, strays }, 'cause').body;
    expect(joinsDirty(withStrays([]))).toBe(true);
    const others = [withStrays([{ namespace: 'shop', name: 'a.b' }]), 'no JSON', 'null'];
    expect(others.map(joinsDirty)).toEqual([false, false, false]);
  });

  it.each(['', '{}', '[]', '{"type":"subject"}', '{"type":"members","wds":"a"}'])(
    'is not %s',
    (body) => {
      expect(() => parseDirty(body)).toThrow();
    },
  );
});

describe('a hint', () => {
  it('is one piece of work with those before it if it names no further objects', () => {
    const bodyOf = (objects: HintMessage['objects']): string =>
      encodeHint({ subject: WEB, objects }, 'cause').body;
    const bodies = [bodyOf([]), bodyOf([{ namespace: 'shop', name: 'a.b' }]), 'no JSON'];
    expect(bodies.map(joinsHint)).toEqual([true, false, false]);
  });

  const hint: HintMessage = { subject: WEB, objects: [{ namespace: 'shop', name: 'a.b' }] };

  it('is read as it was sent, in the group of its subject', () => {
    const message = encodeHint(hint, 'cause');
    expect(parseHint(message.body)).toEqual(hint);
    expect(message.group).toBe(encodeDirty({ type: 'subject', subject: WEB }, 'x').group);
    expect(message.deduplicationId).not.toBe(encodeHint(hint, 'other').deduplicationId);
  });

  it('carries when the change was, in the same group, as the same duplicate', () => {
    const plain = encodeHint(hint, 'cause');
    const timed = encodeHint({ ...hint, changedMs: 1234 }, 'cause');
    expect(parseHint(timed.body)).toEqual({ ...hint, changedMs: 1234 });
    expect({ ...timed, body: '' }).toEqual({ ...plain, body: '' });
  });

  it('is read if a newer release has added fields, or changed the time', () => {
    const newer = { ...hint, changedMs: null, reason: 'new' };
    expect(parseHint(JSON.stringify(newer))).toEqual(hint);
  });

  it.each(['', '{}', '{"subject":{"type":"binding","wds":"a","name":"b"}}'])(
    'is not %s',
    (body) => {
      expect(() => parseHint(body)).toThrow();
    },
  );
});
