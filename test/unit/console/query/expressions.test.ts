import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { celTokens, drawnParts, withoutStrings } from '#console/model/query/cel-tokens.ts';
import { completed, completionAt, unknownNames } from '#console/model/query/completion.ts';
import {
  faultsOf,
  leastSteps,
  rowFaults,
  wholeErrors,
  withProposal,
} from '#console/model/query/faults.ts';
import {
  type KnownObjects,
  namesBehind,
  openApiPath,
  schemaOfKind,
} from '#console/model/query/names.ts';
import { EMPTY, type Query, type SentQuery, sentQuery } from '#console/model/query/query.ts';
import { hiddenCharacters } from '#console/model/shown-text.ts';
import { noObjects } from '#shared/api/query-messages.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { readStatusQuery } from '#shared/core/status-api/status-query.ts';
import { anyCharacter } from '#test/any-character.ts';

const DOCUMENT: JsonObject = {
  components: {
    schemas: {
      Deployment: {
        type: 'object',
        'x-kubernetes-group-version-kind': [{ group: 'apps', version: 'v1', kind: 'Deployment' }],
        properties: {
          metadata: { allOf: [{ $ref: '#/components/schemas/Meta' }], default: {} },
          spec: { allOf: [{ $ref: '#/components/schemas/Spec' }] },
          status: { $ref: '#/components/schemas/Status' },
        },
      },
      Meta: { properties: { name: { type: 'string' }, labels: { additionalProperties: {} } } },
      Spec: { properties: { replicas: { type: 'integer' }, free: { additionalProperties: {} } } },
      Status: {
        properties: {
          readyReplicas: { type: 'integer' },
          availableReplicas: { type: 'integer' },
          paused: { type: 'boolean' },
          conditions: { type: 'array', items: { $ref: '#/components/schemas/Condition' } },
          loop: { $ref: '#/components/schemas/Loop' },
        },
      },
      Condition: {
        type: 'object',
        properties: {
          type: { type: 'string' },
          lastUpdate: { type: 'string', format: 'date-time' },
        },
      },
      Loop: { $ref: '#/components/schemas/Loop' },
    },
  },
};
const KNOWN: KnownObjects = {
  schema: schemaOfKind(DOCUMENT, { group: 'apps', kind: 'Deployment' }),
  seen: [{ readyReplicas: 1, more: { deep: [{ x: 1 }] }, conditions: [{ reason: 'r' }] }],
  wecLabels: ['region', 'example.com/zone'],
} as KnownObjects;

function textsAt(text: string, known = KNOWN): readonly string[] {
  const caret = text.indexOf('|');
  const found = completionAt(text.replace('|', ''), caret, known);
  return found?.options.map((option) => option.text) ?? [];
}

describe('an expression', () => {
  it('is drawn whole, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.nat(20),
        fc.nat(20),
        (text, from, length) => {
          const marks = [{ from, to: from + length }];
          expect(
            celTokens(text)
              .map((token) => token.text)
              .join(''),
          ).toBe(text);
          expect(
            drawnParts(text, marks)
              .map((part) => part.text)
              .join(''),
          ).toBe(text);
          expect(withoutStrings(text)).toHaveLength(text.length);
          const marked = drawnParts(text, marks).filter(({ isMarked }) => isMarked);
          expect(marked.map((part) => part.text).join('')).toBe(text.slice(from, from + length));
        },
      ),
    );
  });

  it('has variables, strings, literals and operators', () => {
    const kinds = celTokens(`obj.obj == "a.b" ? 1.5 : true`)
      .filter(({ text }) => text !== ' ')
      .map(({ kind, text }) => `${kind} ${text}`);
    expect(kinds).toEqual([
      'variable obj',
      'operator .',
      'other obj',
      'operator ==',
      'string "a.b"',
      'operator ?',
      'literal 1.5',
      'operator :',
      'literal true',
    ]);
  });

  it('names the characters in it that cannot be seen', () => {
    expect(hiddenCharacters('a\n\u202eb\u202e\u200b')).toEqual(['U+202E', 'U+200B']);
  });
});

describe('completion', () => {
  it.each([
    ['|', ['inventory', 'obj', 'returned', 'propagation', 'has']],
    ['inv|', ['inventory']],
    ['inventory.|', ['name', 'labels', 'annotations']],
    ['inventory.labels.|', ['region', 'example.com/zone']],
    ['propagation.sta|', ['stale', 'lastReturnedUpdateTimestamp']],
    ['returned.|', ['status', 'spec', 'metadata']],
    ['returned.metadata.u|', ['uid']],
    [
      'returned.status.|',
      ['availableReplicas', 'conditions', 'loop', 'more', 'paused', 'readyReplicas'],
    ],
    ['returned.status.repl|', ['availableReplicas', 'readyReplicas']],
    ['returned.status.conditions[0].|', ['lastUpdate', 'reason', 'type']],
    ['returned.status.conditions.exists(c, c.t|', ['type', 'lastUpdate']],
    ['returned.status.more.deep[0].|', ['x']],
    ['has(returned.status.ready|) ? 1 : 0', ['readyReplicas']],
    ['obj.|', ['metadata', 'spec']],
    ['obj.spec.r|', ['replicas', 'free']],
    ['"returned.|', []],
    ['f(x).|', []],
    ['returned.status.loop.|', []],
    ['unknown.|', []],
  ])('at %s', (text, expected) => {
    const found = textsAt(text);
    expect(found.slice(0, expected.length)).toEqual(expected);
    if (expected.length !== 5) expect(found).toHaveLength(expected.length);
  });

  it('knows what was seen where there is no schema', () => {
    const seen: KnownObjects = { seen: KNOWN.seen, wecLabels: [] };
    expect(textsAt('returned.status.|', seen)).toEqual(['conditions', 'more', 'readyReplicas']);
    expect(textsAt('obj.|', seen)).toEqual(['metadata', 'spec']);
    expect(textsAt('obj.spec.|', seen)).toEqual([]);
  });

  it('says what each name is', () => {
    const types = Object.fromEntries(
      namesBehind(['returned', 'status'], KNOWN).map(({ text, type }) => [text, type]),
    );
    expect(types).toMatchObject({
      ...{
        conditions: 'list of objects',
        readyReplicas: 'integer',
        paused: 'bool',
        more: 'object',
      },
    });
  });

  it('replaces what is written, and a key that is no name stands in brackets', () => {
    const take = (text: string, name: string) => {
      const caret = text.indexOf('|');
      const plain = text.replace('|', '');
      const found = completionAt(plain, caret, KNOWN);
      if (found === undefined) throw new Error('nothing is known');
      const { text: after, caret: at } = completed(plain, found, { text: name, type: '' });
      return `${after.slice(0, at)}|${after.slice(at)}`;
    };
    expect(take('returned.status.re|pl == 1', 'readyReplicas')).toBe(
      'returned.status.readyReplicas| == 1',
    );
    expect(take('inventory.labels.|', 'example.com/zone')).toBe(
      'inventory.labels["example.com/zone"]|',
    );
  });

  it('finds the document of a group', () => {
    const index = {
      paths: { 'apis/apps/v1': {}, 'apis/apps/v1beta2': {}, 'api/v1': {}, 'apis/x/v1alpha1': {} },
    };
    expect(openApiPath(index, 'apps')).toBe('/openapi/v3/apis/apps/v1');
    expect(openApiPath(index, '')).toBe('/openapi/v3/api/v1');
    expect(openApiPath(index, 'x')).toBe('/openapi/v3/apis/x/v1alpha1');
    expect(openApiPath(index, 'y')).toBeUndefined();
    expect(openApiPath({}, 'apps')).toBeUndefined();
    expect(schemaOfKind(DOCUMENT, { group: 'apps', kind: 'Other' })).toBeUndefined();
  });
});

describe('a name that the schema of the kind does not have', () => {
  const of = (text: string, known = KNOWN) =>
    unknownNames('filter', text, { kind: 'Deployment', known }).map(
      ({ message, range, proposal }) => [
        message,
        text.slice(range?.from, range?.to),
        proposal?.text,
      ],
    );

  it('is found, with what was probably meant', () => {
    expect(of('obj.spec.replicas > returned.status.availableReplica ? 1 : 0')).toEqual([
      [
        'the status of a Deployment has no availableReplica',
        'availableReplica',
        'availableReplicas',
      ],
    ]);
    expect(of('returned.status.conditions[0].tpye == "a"')).toEqual([
      ['the status.conditions[] of a Deployment has no tpye', 'tpye', 'type'],
    ]);
  });

  it.each([
    'returned.status.readyReplicas',
    'returned.status.conditions.exists(c, true)',
    'obj.spec.free.anything',
    'obj.metadata.anything',
    '"returned.status.none"',
    'inventory.none',
    'returned.none',
  ])('is none: %s', (text) => {
    expect(of(text)).toEqual([]);
  });

  it('is not known without a schema', () => {
    expect(of('returned.status.none', { seen: [], wecLabels: [] })).toEqual([]);
  });
});

/** What the API itself finds wrong with a question. */
function faultsBy(query: Query) {
  const sent = sentQuery(query) as SentQuery;
  const reading = readStatusQuery({ spec: sent.spec }, sent.kind === 'StatusQuery');
  return faultsOf(query, sent, reading.ok ? [] : reading.faults);
}

describe('what the API finds wrong', () => {
  it.each([
    ['inventory.nam == "x"', 'inventory.nam', 'inventory.name'],
    ['"ä" == retured.status', 'retured', 'returned'],
    ['true &&\n  propagation.stal', 'propagation.stal', 'propagation.stale'],
  ])('stands where it is, with a proposal that mends it: %s', (filter, marked, meant) => {
    const query = { ...EMPTY, filter, select: [{ name: '', def: '1' }] };
    const [fault] = faultsBy(query);
    expect(fault).toMatchObject({ field: 'filter' });
    expect(filter.slice(fault?.range?.from, fault?.range?.to)).toBe(marked);
    if (fault?.proposal === undefined) throw new Error('nothing is proposed');
    expect(fault.proposal.text).toBe(meant);
    expect(faultsBy({ ...query, filter: withProposal(filter, fault.proposal) })).toEqual([]);
  });

  it('marks the end if something is missing there', () => {
    const [fault] = faultsBy({ ...EMPTY, filter: 'true &&', select: [{ name: '', def: '1' }] });
    expect(fault?.range).toEqual({ from: 6, to: 7 });
    expect(fault?.message).not.toMatch(/^line/);
  });

  it('is about names, types and the whole question too', () => {
    const both = { name: 'a', def: '1' };
    const fields = (query: Partial<Query>) =>
      faultsBy({ ...EMPTY, ...query }).map(({ field }) => field);
    expect(fields({ select: [both, both] })).toEqual(['select.1.name']);
    expect(fields({ select: [both], groupBy: [both] })).toEqual(['', '', 'groupBy.0.name']);
    expect(fields({ select: [both], limit: '0.5' })).toEqual(['limit']);
    expect(fields({})).toEqual(['']);
  });

  it('proposes the resource that was probably meant', () => {
    const query = { ...EMPTY, resource: 'deployment.apps' };
    const message = noObjects('deployment.apps', 'deployments.apps');
    const [fault] = faultsOf(query, sentQuery(query) as SentQuery, [
      { field: 'spec.workloads.resource', message },
    ]);
    expect(fault?.proposal).toEqual({ from: 0, to: 15, text: 'deployments.apps' });
  });

  it('has the price of what is too expensive', () => {
    const list = `[${Array.from({ length: 20 }, (_, index) => index)}]`;
    const filter = `${list}.map(a, ${list}.map(b, ${list}.map(c, a + b + c))).size() > 0`;
    const found = faultsBy({ ...EMPTY, filter, select: [{ name: '', def: '1' }] });
    expect(leastSteps(found)).toBeGreaterThan(5_000);
    expect(leastSteps([])).toBeUndefined();
  });
});

describe('the errors of rows', () => {
  const query = {
    ...EMPTY,
    filter: 'returned.status.x',
    select: [{ name: '', def: '"y" == returned.status.readyReplica' }],
  };
  const behind = (path: readonly string[]) => namesBehind(path, KNOWN).map(({ text }) => text);

  it('stand in the fields of their columns, once for each text', () => {
    const error = 'no such key: readyReplica';
    const found = rowFaults(
      query,
      [
        { wec: 'a', columnName: 'readyReplica', error },
        {
          wec: 'b',
          columnName: 'readyReplica',
          error: `${error} (and 7 more WECs have an error in this column)`,
        },
        { wec: 'c', columnName: '', error: 'no such key: x' },
        { error: 'there are more groups' },
      ],
      behind,
    );
    expect(found).toEqual([
      {
        field: 'select.0.def',
        message: 'no such key: readyReplica, in 9 rows, first in a',
        range: { from: 23, to: 35 },
        proposal: { from: 23, to: 35, text: 'readyReplicas' },
        isOfRows: true,
      },
      {
        field: 'filter',
        message: 'no such key: x, in c',
        range: { from: 16, to: 17 },
        isOfRows: true,
      },
    ]);
  });

  it('about the whole answer stand alone', () => {
    const error = 'there are more groups';
    expect(wholeErrors([{ error }, { columnName: 'a', error: 'b' }])).toEqual([error]);
  });
});
