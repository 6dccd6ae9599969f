import { describe, expect, it } from 'vitest';
import { collectorName, collectorYaml, commandText } from '#console/model/query/collector-text.ts';
import { rowsOfGroup } from '#console/model/query/drill-down.ts';
import { packQuery, unpackQuery } from '#console/model/query/packed-query.ts';
import {
  columnName,
  combinedName,
  EMPTY,
  editorField,
  hasColumns,
  isSame,
  type Query,
  type SentQuery,
  sentQuery,
} from '#console/model/query/query.ts';
import {
  askedAbout,
  READY_QUERIES,
  readyQueries,
  startedQuestion,
} from '#console/model/query/ready-queries.ts';
import { parseDocuments } from '#local/cli/input/parse-documents.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { readStatusQuery } from '#shared/core/status-api/status-query.ts';

const READY = 'returned.status.readyReplicas';
const GROUPED: Query = {
  ...EMPTY,
  resource: 'deployments.apps',
  namespace: 'shop',
  name: 'web',
  labels: 'app=web,tier!=test',
  filter: 'inventory.labels.tier == "prod"',
  groupBy: [{ name: 'region', def: 'inventory.labels.region' }],
  combined: [
    { name: 'wecs', type: 'COUNT', subject: '' },
    { name: '', type: 'SUM', subject: READY },
  ],
  limit: '20',
};

function sent(query: Query): SentQuery {
  const found = sentQuery(query);
  if ('message' in found) throw new Error(found.message);
  return found;
}

describe('a question', () => {
  it('is sent as a StatusQuery of its namespace, which the API accepts', () => {
    const found = sent(GROUPED);
    expect(found).toMatchObject({
      kind: 'StatusQuery',
      namespace: 'shop',
      columns: ['key', 'COUNT', 'SUM'],
    });
    expect(found.spec).toEqual({
      filter: GROUPED.filter,
      groupBy: [{ name: 'region', def: 'inventory.labels.region' }],
      combinedFields: [
        { name: 'wecs', type: 'COUNT' },
        { name: 'sum_readyReplicas', type: 'SUM', subject: READY },
      ],
      workloads: {
        ...{ resource: 'deployments', group: 'apps', name: 'web' },
        labelSelector: {
          matchExpressions: [
            { key: 'app', operator: 'In', values: ['web'] },
            { key: 'tier', operator: 'NotIn', values: ['test'] },
          ],
        },
      },
      limit: 20,
    });
    expect(readStatusQuery({ spec: found.spec }, true).ok).toBe(true);
  });

  it.each([
    ['', { kind: 'ClusterStatusQuery', spec: { workloads: { allNamespaces: true } } }],
    ['-', { kind: 'ClusterStatusQuery', spec: { workloads: {} } }],
    ['shop', { kind: 'StatusQuery', namespace: 'shop', spec: { workloads: {} } }],
  ])('is about the objects of all namespaces, of none or of one: "%s"', (namespace, expected) => {
    const { kind, namespace: asked, spec } = sent({ ...EMPTY, namespace });
    expect({ kind, ...(asked === undefined ? {} : { namespace: asked }), spec }).toEqual(expected);
  });

  it('is of the core group if its resource has no group', () => {
    const { spec } = sent({ ...EMPTY, resource: 'services' });
    expect(spec['workloads']).toMatchObject({ resource: 'services', group: '' });
  });

  it('leaves out lines without an expression, and knows which lines errors are about', () => {
    const query: Query = {
      ...EMPTY,
      select: [
        { name: 'a', def: '' },
        { name: 'b', def: '1' },
      ],
      combined: [
        { name: '', type: 'SUM', subject: ' ' },
        { name: '', type: 'MAX', subject: '2' },
      ],
    };
    const found = sent(query);
    expect(found.spec['select']).toEqual([{ name: 'b', def: '1' }]);
    expect(editorField('spec.select[0].def', found)).toBe('select.1.def');
    expect(editorField('spec.combinedFields[0].subject', found)).toBe('combined.1.subject');
    expect(editorField('spec.combinedFields[0]', found)).toBe('combined.1.subject');
    expect(editorField('spec.select[7].def', found)).toBe('');
    expect(editorField('spec.workloads.labelSelector.matchExpressions[0]', found)).toBe('labels');
    expect(editorField('spec.workloads.group', found)).toBe('resource');
    expect(editorField('spec', found)).toBe('');
    expect(hasColumns(query)).toBe(true);
    expect(hasColumns({ ...query, combined: [], select: query.select.slice(0, 1) })).toBe(false);
  });

  it.each([
    ['a=(', 'a=('],
    ['weight>3', 'a query has no < and >'],
  ])('says what is wrong with the labels %s', (labels, message) => {
    expect(sentQuery({ ...EMPTY, labels })).toMatchObject({
      field: 'labels',
      message: expect.stringContaining(message),
    });
  });

  it('sends a limit that is no number as it is, for the API to say so', () => {
    const { spec } = sent({ ...EMPTY, limit: 'many' });
    expect(spec['limit']).toBe('many');
  });

  it.each([
    [READY, 'readyReplicas'],
    ['has(returned.status.x) ? returned.status.x : 0', 'x'],
    ['returned.spec.containers[0]', 'containers'],
    ['1 + 1', 'value'],
  ])('names a column by its expression: %s', (def, name) => {
    expect(columnName({ name: '', def })).toBe(name);
    expect(combinedName({ name: '', type: 'MIN', subject: def })).toBe(`min_${name}`);
  });
});

describe('an address', () => {
  it('has the whole question', async () => {
    for (const query of [GROUPED, EMPTY, { ...EMPTY, filter: '"\u202e ä \u{1f600}"' }]) {
      const packed = await packQuery(query);
      expect(packed).toMatch(/^[\w-]*$/);
      expect(await unpackQuery(packed)).toEqual(query);
    }
  });

  it.each(['x', 'AAAA', '!', '4pxoaGRobGJgYA'])(
    'that holds none is found out: %s',
    async (packed) => {
      expect(await unpackQuery(packed)).toBeUndefined();
    },
  );

  it('is not unpacked without end', async () => {
    const packed = await packQuery({ ...EMPTY, filter: ' '.repeat(1_000_000) });
    expect(packed.length).toBeLessThan(3_000);
    expect(await unpackQuery(packed)).toBeUndefined();
  });

  it('that names members of another type, or too few, holds what can be used', async () => {
    const odd = { filter: 1, select: ['x', { name: 2, def: 'a' }], combined: [{ type: 'NONE' }] };
    const query = await unpackQuery(await packQuery(odd as unknown as Query));
    expect(query).toEqual({
      ...EMPTY,
      select: [{ name: '', def: 'a' }],
      combined: [{ name: '', type: 'COUNT', subject: '' }],
    });
    expect(await unpackQuery(await packQuery([] as unknown as Query))).toEqual(EMPTY);
  });
});

describe('a ready-made question', () => {
  it.each(READY_QUERIES.map((ready) => [ready.title, ready] as const))(
    'is valid: %s',
    (_title, ready) => {
      const query = { ...EMPTY, ...ready.query };
      const { spec } = sent(query);
      expect(readStatusQuery({ spec }, false)).toMatchObject({ ok: true });
    },
  );

  it('is shown where there are objects that it is about', () => {
    const idsWith = (...resources: string[]) =>
      readyQueries(new Set(resources)).map(({ id }) => id);
    expect(idsWith('services')).toEqual([
      ...['behind', 'behind-by-region', 'generations', 'oldest', 'silent', 'status'],
    ]);
    expect(idsWith('deployments.apps')).toContain('not-ready');
    expect(idsWith('gitrepos.fleet.cattle.io')).toContain('fleet-git-repos');
  });

  it('is asked about the objects that are asked about, if it fits them', () => {
    const [ready] = READY_QUERIES;
    if (ready === undefined) throw new Error('there is none');
    const present = new Set(['deployments.apps', 'services']);
    const about = { ...EMPTY, resource: 'statefulsets.apps', namespace: 'shop', name: 'db' };
    expect(askedAbout(ready, about, present)).toMatchObject({
      ...{ resource: 'statefulsets.apps', namespace: 'shop', name: 'db' },
    });
    expect(askedAbout(ready, { ...about, resource: 'services' }, present)).toMatchObject({
      ...{ resource: 'deployments.apps', namespace: '', name: '' },
    });
  });

  it('begins a question about an object', () => {
    const place = { namespace: 'shop', name: 'web' };
    const web = startedQuestion({ about: { ...place, resource: 'deployments.apps' } })?.query;
    expect(web).toMatchObject({ ...place, resource: 'deployments.apps' });
    expect(web?.groupBy).toHaveLength(1);
    const services = startedQuestion({ about: { ...place, resource: 'services' } });
    expect(services?.query.select).toHaveLength(3);
    const behind = startedQuestion({ ready: 'behind-by-region' });
    expect(behind).toMatchObject({ query: { resource: '' }, sort: { column: 1 } });
    expect(startedQuestion({ ready: 'toString' })).toBeUndefined();
  });

  it.each([
    ['eu-west-003', 'inventory.name == "eu-west-003"'],
    ['region=eu-west', '"region" in inventory.labels && inventory.labels["region"] == "eu-west"'],
  ])('asks only %s', (only, filter) => {
    const { query } = startedQuestion({ only }) ?? {};
    expect(query?.filter).toBe(filter);
    const narrowed = startedQuestion({ only, ready: 'silent' })?.query ?? EMPTY;
    expect(narrowed.filter).toBe(`(propagation.silent) && (${filter})`);
    expect(readStatusQuery({ spec: sent(narrowed).spec }, false)).toMatchObject({ ok: true });
  });

  it('is recognised, whatever is empty in it', () => {
    expect(isSame({ ...EMPTY }, EMPTY)).toBe(true);
    expect(isSame({ ...EMPTY, filter: 'true' }, EMPTY)).toBe(false);
  });
});

describe('what is copied', () => {
  it('is a StatusCollector that compiles', () => {
    const yaml = collectorYaml(GROUPED);
    const [document] = parseDocuments(yaml, 'a.yaml');
    const object = document?.value as unknown as {
      readonly spec: never;
      readonly metadata: unknown;
    };
    expect(object.metadata).toEqual({ name: 'wecs-by-region' });
    expect(compileStatusCollector(object.spec).ok).toBe(true);
    expect(object.spec).toMatchObject({ limit: 20, filter: GROUPED.filter });
  });

  it('has a name that an object may have', () => {
    expect(collectorName(EMPTY)).toBe('query');
    const select = [
      { name: 'Ready Replicas ', def: '1' },
      { name: '', def: READY },
    ];
    expect(collectorName({ ...EMPTY, select })).toBe('ready-replicas-readyreplicas');
  });

  it('is the command that asks the same', () => {
    expect(commandText({ ...GROUPED, filter: `inventory.name == 'a'` })).toBe(
      [
        'starfold query deployments.apps/web -n shop',
        `  -l 'app=web,tier!=test'`,
        `  --filter 'inventory.name == '\\''a'\\'''`,
        '  --group-by region=inventory.labels.region',
        '  --count wecs',
        '  --sum sum_readyReplicas=returned.status.readyReplicas',
        '  --limit 20',
      ].join(' \\\n'),
    );
    expect(commandText({ ...EMPTY, select: [{ name: '', def: READY }] })).toBe(
      `starfold query -A \\\n  --select readyReplicas=${READY}`,
    );
  });
});

describe('the rows of a group', () => {
  it('are asked for by its keys', () => {
    const query = { ...GROUPED, groupBy: [...GROUPED.groupBy, { name: 'n', def: READY }] };
    const rows = rowsOfGroup(query, [
      { type: 'String', string: 'eu "west"' },
      { type: 'Number', float: '1.5' },
    ]);
    expect(rows.filter).toBe(
      `(${GROUPED.filter}) && (inventory.labels.region) == "eu \\"west\\"" && (${READY}) == double("1.5")`,
    );
    expect(rows.select.map(({ name }) => name)).toEqual(['region', 'sum_readyReplicas']);
    expect(readStatusQuery({ spec: sent(rows).spec }, true).ok).toBe(true);
  });

  it('of a group without a value are those without it', () => {
    const none = rowsOfGroup({ ...GROUPED, filter: '' }, [{ type: 'Null' }]);
    expect(none.filter).toBe('(inventory.labels.region) == null');
    const truth = rowsOfGroup({ ...GROUPED, filter: '' }, [{ type: 'Bool', bool: true }]);
    expect(truth.filter).toBe('(inventory.labels.region) == true');
  });
});
