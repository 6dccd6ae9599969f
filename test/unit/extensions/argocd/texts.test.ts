import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldsOf } from '#extensions/argocd/fields.ts';
import { prettyJson } from '#extensions/argocd/pretty-json.ts';
import { readSettings } from '#extensions/argocd/settings.ts';
import { applicationHeaders, shownObject } from '#extensions/argocd/shown-object.ts';
import { MAX_SHOWN, shortText, visibleText } from '#extensions/argocd/shown-text.ts';
import { documentLink, LOADING, viewAfter } from '#extensions/argocd/view.ts';
import { wecRowsOf } from '#extensions/argocd/wec-rows.ts';
import type { Explanation } from '#shared/core/explanation/explanation.ts';
import { parseJson } from '#shared/core/json.ts';
import { anyCharacter } from '#test/any-character.ts';

describe('a text of somebody else', () => {
  it('has no character that is hidden, or that changes the order of others', () => {
    expect(visibleText('a\u202Eb\u0000\nc')).toBe('a⟨U+202E⟩b⟨U+0000⟩\nc');
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (text) => {
        expect(shortText(text)).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u);
        expect([...shortText(text)].length).toBeLessThanOrEqual(MAX_SHOWN + 3);
      }),
    );
  });

  it('is cut in the middle, between characters', () => {
    expect(shortText('abcdefgh', 4)).toBe('ab … gh');
    expect(shortText('😀😀😀😀😀😀', 4)).toBe('😀😀 … 😀😀');
    expect(shortText('abcd', 4)).toBe('abcd');
  });
});

describe('the settings', () => {
  it('have values if nobody has set any', () => {
    const defaults = { extension: 'starfold', path: '', documents: undefined };
    expect(readSettings(undefined)).toEqual(defaults);
    expect(readSettings({ extension: 7, path: null, documents: 'javascript:alert(1)' })).toEqual(
      defaults,
    );
  });

  it('are those of the administrator', () => {
    expect(
      readSettings({
        extension: 'wds2',
        path: '/wds/wds1/',
        documents: 'https://example.com/docs',
      }),
    ).toEqual({ extension: 'wds2', path: '/wds/wds1', documents: 'https://example.com/docs/' });
    expect(documentLink('https://example.com/docs/', 'rules.md#job')).toBe(
      'https://example.com/docs/rules.md#job',
    );
    expect(documentLink(undefined, 'rules.md#job')).toBeUndefined();
  });
});

describe('what Argo CD passes', () => {
  it('names the object and the application', () => {
    const metadata = { name: 'web', namespace: 'shop', creationTimestamp: '2026-11-20T10:00:00Z' };
    expect(shownObject({ apiVersion: 'apps/v1', kind: 'Deployment', metadata })).toEqual({
      ...{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' },
      created: '2026-11-20T10:00:00Z',
    });
    expect(shownObject({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })).toEqual({
      ...{ group: '', kind: 'Node', namespace: '', name: 'n', created: '' },
    });
    const application = { metadata: { name: 'shop', namespace: 'argocd' }, spec: { project: 'p' } };
    expect(applicationHeaders(application)).toEqual({
      'Argocd-Application-Name': 'argocd:shop',
      'Argocd-Project-Name': 'p',
    });
  });

  it.each([undefined, null, 'x', {}, { kind: 'Pod' }, { kind: 'Pod', metadata: { name: '' } }])(
    'may be no object yet: %j',
    (resource) => {
      expect(shownObject(resource)).toBeUndefined();
    },
  );
});

describe('the rows of a Table', () => {
  it('are found by the names of the columns', () => {
    const columnDefinitions = ['State', 'New', 'WEC', 'Health', 'Ready'].map((name) => ({ name }));
    const rows = [
      { cells: ['Reported', 'x', 'a', 'Healthy', '3/3'] },
      { cells: ['NotReported', 'x', 'b', '-', '-'] },
      { cells: [] },
    ];
    expect(wecRowsOf({ columnDefinitions, rows })).toEqual([
      { wec: 'a', state: 'Reported', health: 'Healthy', ready: '3/3' },
      { wec: 'b', state: 'NotReported' },
    ]);
  });

  it('are none in anything else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(wecRowsOf(parseJson(JSON.stringify(value)))).toEqual([]);
      }),
    );
  });
});

describe('the fields', () => {
  it('have values as JSON, the verdicts of deciders, and what these say differently', () => {
    const documentation = 'rules.md#deployment';
    const fields = [
      {
        ...{ path: 'replicas', value: 3, rule: 'lowest', documentation },
        decidedBy: [{ wec: 'a', value: 3 }, { wec: 'b', value: 5 }, { wec: 'c' }],
      },
      { path: 'x', omitted: true, rule: 'lowest', documentation, decidedBy: [{ all: true }] },
      { path: 'y', value: 'text', rule: 'lowest', documentation, departs: 'because' },
    ] as unknown as Explanation['fields'];
    const deciders: Explanation['deciders'] = [
      { wec: 'a', state: 'Reported', health: { status: 'Degraded' } },
      { wec: 'b', state: 'Silent', health: { status: 'Healthy' } },
      { wec: 'c', state: 'Reported' },
    ];
    const [first, second, third] = fieldsOf({ fields, deciders });
    expect(first?.value).toBe('3');
    expect(first?.decidedBy).toEqual([
      { wec: 'a', verdict: 'Degraded' },
      { wec: 'b', value: '5', verdict: 'Silent' },
      { wec: 'c', value: 'nothing', verdict: 'Reported' },
    ]);
    expect(second).toMatchObject({ value: 'left out', decidedBy: 'all' });
    expect(third).toMatchObject({ value: 'text', decidedBy: [], departs: 'because' });
  });
});

describe('the raw status', () => {
  it('keeps the digits of every number', () => {
    const object = parseJson('{"status":{"a":9007199254740993,"b":1.0}}');
    expect(prettyJson(object, 'status')).toBe('{\n  "a": "9007199254740993",\n  "b": 1\n}');
    expect(prettyJson({}, 'status')).toBe('There is no status.');
  });
});

describe('the view', () => {
  const part = {
    type: 'bound',
    ...{ resource: 'deployments', isWhole: false, rows: [] },
    explanation: { type: 'failed', message: 'x' },
  } as const;
  const whole = { ...part, isWhole: true } as const;

  it('shows parts only until there is a whole', () => {
    const first = viewAfter(LOADING, { type: 'part', reading: part });
    expect(first).toEqual({ reading: part, isPart: true });
    const second = viewAfter(first, { type: 'whole', reading: whole, at: 7 });
    expect(second).toEqual({ reading: whole, isPart: false, readAt: 7 });
    expect(viewAfter(second, { type: 'part', reading: part })).toBe(second);
  });

  it('keeps what is shown after a failure, and forgets the failure with the next answer', () => {
    const problem = { type: 'unreachable', message: 'x' } as const;
    const shown = viewAfter(LOADING, { type: 'whole', reading: whole, at: 7 });
    const failed = viewAfter(shown, { type: 'failed', problem });
    expect(failed).toEqual({ ...shown, problem });
    expect(viewAfter(failed, { type: 'whole', reading: whole, at: 8 }).problem).toBeUndefined();
    expect(viewAfter(failed, { type: 'reset' })).toBe(LOADING);
  });
});
