import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import type { WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { HeldObjects, MAX_REMEMBERED } from '#shared/watch/held-objects.ts';

function pod(name: string, phase = ''): JsonObject {
  return { metadata: { namespace: 'default', name }, status: { phase } };
}

function brief(event: WatchEvent): string {
  if (event.type === 'BOOKMARK') return `${event.resourceVersion} bookmark`;
  const { metadata, status } = event.object as { metadata: JsonObject; status?: JsonObject };
  const phase = status === undefined ? '' : ` ${String(status['phase'])}`;
  return `${event.resourceVersion} ${event.type} ${String(metadata['namespace'])}/${String(metadata['name'])}${phase}`;
}

let held: HeldObjects;

function change(version: number, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: JsonObject): void {
  held.apply({ type, resourceVersion: String(version), object });
}

beforeEach(() => {
  held = new HeldObjects(new Map([['default/a', pod('a', 'listed')]]), '10');
});

describe('objects that are held', () => {
  it('are those of the listing with all changes since, as they came', () => {
    const b = pod('b');
    change(11, 'ADDED', b);
    change(12, 'DELETED', pod('a'));
    held.apply({ type: 'BOOKMARK', resourceVersion: '13' });
    expect(held.all()).toEqual([b]);
    expect(held.all()[0]).toBe(b);
    expect(held.version).toBe('13');
  });

  it('give a reader what it has not seen, each object once and in its present state', () => {
    change(11, 'ADDED', pod('b', 'Pending'));
    held.apply({ type: 'BOOKMARK', resourceVersion: '12' });
    change(13, 'MODIFIED', pod('b', 'Running'));
    change(14, 'DELETED', pod('a'));
    expect(held.since('10')?.map(brief)).toEqual([
      '12 bookmark',
      '13 MODIFIED default/b Running',
      '14 DELETED default/a',
    ]);
    expect(held.since('13')?.map(brief)).toEqual(['14 DELETED default/a']);
    expect(held.since('14')).toEqual([]);
  });

  it('give too much rather than too little if several changes have the same version', () => {
    change(11, 'MODIFIED', pod('a', 'one'));
    change(11, 'ADDED', pod('b', 'two'));
    expect(held.since('11')?.map(brief)).toEqual(['11 MODIFIED default/b two']);
  });

  it('know nothing of a version that was never seen, or that was seen too long ago', () => {
    expect(held.since('9')).toBeUndefined();
    for (let version = 11; version <= 11 + MAX_REMEMBERED; version += 1)
      change(version, 'MODIFIED', pod('a', String(version)));
    expect(held.since('10')).toBeUndefined();
    expect(held.since('11')?.map(brief)).toEqual([
      `${11 + MAX_REMEMBERED} MODIFIED default/a ${11 + MAX_REMEMBERED}`,
    ]);
  });
});
