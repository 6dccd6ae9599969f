import { describe, expect, it } from 'vitest';
import type { Subject } from '#shared/core/subject.ts';
import { earliestChange } from '#shared/messages/change-time.ts';
import { encodeDirty, encodeHint } from '#shared/messages/dirty.ts';
import { groupName, sourceGroup } from '#shared/messages/group-name.ts';

const GROUP = /^[!-~]{1,128}$/;

describe('the group of a source', () => {
  it('is the source, as operators write it', () => {
    expect(sourceGroup({ type: 'wec', name: 'cluster1' })).toBe('wec/cluster1');
  });

  it.each([
    ['longer than a queue takes', 'x'.repeat(253)],
    ['in other characters', 'bücher'],
    ['with a space', 'a b'],
    ['empty', ''],
  ])('is a hash of a name %s, of its own for each', (_what, name) => {
    expect(sourceGroup({ type: 'wec', name })).toMatch(GROUP);
    expect(groupName(name)).toMatch(/^[0-9a-f]{32}$/);
    expect(groupName(name)).not.toBe(groupName(`${name}é`));
  });
});

const WEB: Subject = {
  type: 'workload',
  workload: { wds: 'wds1', group: '', resource: 'services', namespace: 'shop', name: 'web' },
};
const BUNDLE: Subject = {
  type: 'fleet',
  upstream: 'rancher1',
  resource: 'bundles',
  namespace: 'n',
  name: 'b',
};

describe('whose work a message is', () => {
  it('is the source whose event it follows from, and for the writer also if it is to be written', () => {
    const change = { changedMs: 1, changedBy: 'wec/a' };
    expect(encodeDirty({ type: 'subject', subject: WEB, ...change }, 'c').tenant).toBe('wec/a');
    expect(encodeHint({ subject: WEB, objects: [], ...change }, 'c').tenant).toBe('wds/wds1|wec/a');
  });

  it.each([
    ['wds/wds1', encodeDirty({ type: 'subject', subject: WEB }, 'c')],
    ['fleet/rancher1', encodeDirty({ type: 'subject', subject: BUNDLE }, 'c')],
    ['wds/wds1', encodeHint({ subject: WEB, objects: [] }, 'c')],
    [
      'wds/wds1',
      encodeHint(
        { subject: { ...WEB, type: 'binding', wds: 'wds1', name: 'b' }, objects: [] },
        'c',
      ),
    ],
    ['fleet/rancher1', encodeHint({ subject: BUNDLE, objects: [] }, 'c')],
    [
      'wds/wds1',
      encodeDirty({ type: 'members', wds: 'wds1', binding: 'b', revision: 1, cursor: '' }, 'c'),
    ],
    [
      'wec/a',
      encodeDirty(
        { type: 'sweep', source: { type: 'wec', name: 'a' }, since: { epoch: 1, sequence: 1 } },
        'c',
      ),
    ],
    [
      'fleet/rancher1',
      encodeDirty(
        {
          type: 'fleet-inventory',
          upstream: 'rancher1',
          namespace: 'n',
          resource: 'bundles',
          token: 't',
        },
        'c',
      ),
    ],
  ])('is %s if no event is known', (tenant, message) => {
    expect(message.tenant).toBe(tenant);
  });

  it('is that of the source that says the least of it', () => {
    const by = (changedBy: string, changedMs: number) => ({ changedBy, changedMs });
    const noisy = Array.from({ length: 9 }, (_message, index) => by('wec/noisy', index));
    expect(earliestChange([...noisy, by('wec/quiet', 50)])).toEqual(by('wec/quiet', 0));
    const counts = new Map([
      ['wec/noisy', 900],
      ['wec/quiet', 2],
    ]);
    expect(earliestChange([by('wec/noisy', 1), by('wec/quiet', 2)], counts)).toEqual(
      by('wec/quiet', 1),
    );
    expect(earliestChange([{}])).toEqual({});
  });
});
