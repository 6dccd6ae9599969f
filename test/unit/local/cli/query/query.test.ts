import { beforeEach, describe, expect, it } from 'vitest';
import type { Door } from '#local/cli/door/door.ts';
import { NOT_FOUND_HINTS, notFound, unknownResource } from '#local/cli/get/messages.ts';
import { notAName as notAnObject } from '#local/cli/input/object-messages.ts';
import {
  answerError,
  COUNT_FORM,
  invalidSelector,
  LIMIT_FORM,
  moreErrors,
  NO_COLUMN,
  NO_COMPARISON,
  NO_ROWS,
  notAName,
  PAIR_FORM,
  rowError,
  SAVED,
} from '#local/cli/query/messages.ts';
import { type QueryCommand, runQuery, savedCollector } from '#local/cli/query/run.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import { noObjects } from '#shared/api/query-messages.ts';
import { NO_VALUES } from '#shared/core/collector/messages.ts';
import { at, type JsonObject, type JsonValue, parseJson } from '#shared/core/json.ts';
import { partOfGroups } from '#shared/core/status-api/messages.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';
import { KEYS, status, WEB } from '#test/unit/api/ask.ts';
import { ALL, starfold } from '#test/unit/local/cli/command.ts';
import { doorOver, KeptTerminal } from '#test/unit/local/cli/get/got.ts';

const ROLE = {
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterroles',
  namespace: '',
  name: 'a:b',
};
const READY = { name: 'ready', def: 'returned.status.readyReplicas' };

let source: FakeStatusSource;
let door: Door;

beforeEach(() => {
  source = new FakeStatusSource();
  for (const [wec, readyReplicas] of Object.entries({ east: 3, north: 1, west: 3 }))
    source.put(status(WEB, wec, { status: { readyReplicas } }));
  source.put(status({ ...WEB, name: 'api' }, 'east', { status: { readyReplicas: 2 } }));
  source.put(status({ ...WEB, namespace: 'pay' }, 'east', { status: { readyReplicas: 9 } }));
  source.put(status(KEYS, 'east', { status: { phase: null, ok: true, list: [1] } }));
  source.put(status(ROLE, 'east', { kind: 'ClusterRole', status: {} }));
  door = doorOver(source);
});

async function query(
  text: string | undefined,
  options: Partial<QueryCommand> & { readonly columns?: number },
): Promise<KeptTerminal> {
  const { columns, ...rest } = options;
  const kept = new KeptTerminal(columns);
  const { signal } = new AbortController();
  const all: QueryCommand = { aggregated: [], output: 'table', namespace: 'shop', ...rest };
  await runQuery(text, all, { door, terminal: kept.terminal, signal });
  return kept;
}

describe('starfold query', () => {
  it('prints a row for each WEC of each object', async () => {
    const { out, err } = await query('deployments', { select: [READY] });
    expect(err).toBe('');
    expect(out).toBe(`OBJECT                 WEC     READY
deployments.apps/api   east    2
deployments.apps/web   east    3
deployments.apps/web   north   1
deployments.apps/web   west    3
`);
  });

  it('is about what is named, as kubectl names it', async () => {
    const { out } = await query('deploy/api', { select: [READY] });
    expect(out).toContain('deployments.apps/api   east   2\n');
    expect(out.split('\n')).toHaveLength(3);
    const selected = await query('deployment', { select: [READY], selector: 'app in (api)' });
    expect(selected.out).toBe(out);
    const role = await query('clusterrole/a:b', { select: [{ name: 'one', def: '1' }] });
    expect(role.out).toContain('clusterroles.rbac.authorization.k8s.io/a:b   east   1\n');
  });

  it('is about all objects if none are named, of one namespace or of all', async () => {
    const one = { select: [{ name: 'n', def: 'obj.metadata.namespace' }] };
    expect((await query(undefined, one)).out.split('\n')).toHaveLength(7);
    const { out } = await query('deployments', { select: [READY], allNamespaces: true });
    expect(out).toMatch(
      /^NAMESPACE +OBJECT +WEC +READY\npay +deployments.apps\/web +east +9\nshop /,
    );
  });

  it('takes the namespace of the context, otherwise default', async () => {
    door = { ...door, namespace: 'pay' };
    const options: QueryCommand = { aggregated: [], output: 'table', select: [READY] };
    const kept = new KeptTerminal();
    const { signal } = new AbortController();
    await runQuery('deployments', options, { door, terminal: kept.terminal, signal });
    expect(kept.out).toContain('east   9');
  });

  it('prints cells of every kind on one line', async () => {
    const select = ['phase', 'ok', 'list'].map((name) => ({
      name,
      def: `returned.status.${name}`,
    }));
    const { out } = await query('secrets', { select });
    expect(out).toMatch(/secrets\/keys +east +<none> +true +\[1\]\n/);
  });

  it('groups and aggregates', async () => {
    const { out } = await query('deployments', {
      groupBy: [READY],
      aggregated: [
        { name: 'wecs', type: 'COUNT' },
        { name: 'sum', type: 'SUM', subject: READY.def },
      ],
    });
    expect(out).toBe('READY   WECS   SUM\n1       1      1\n2       1      2\n3       2      6\n');
  });

  it('follows all answers, or stops at its limit', async () => {
    for (let index = 0; index < 1_200; index += 1)
      source.put(status(WEB, `w-${index}`, { status: { readyReplicas: 1 } }));
    expect((await query('deployment/web', { select: [READY] })).out.split('\n')).toHaveLength(
      1_205,
    );
    const limited = await query('deployment/web', { select: [READY], limit: 700 });
    expect(limited.out.split('\n')).toHaveLength(702);
    const json = await query('deployment/web', { select: [READY], limit: 700, output: 'json' });
    const printed = parseJson(json.out);
    expect(at(printed, 'status', 'rows')).toHaveLength(700);
    expect(at(printed, 'status')).not.toHaveProperty('continue');
    expect(at(printed, 'kind')).toBe('StatusQuery');
  });

  it('merges the groups of several answers', async () => {
    const groups = (readyReplicas: number, count: number) => ({
      columns: [
        { type: 'Number', float: String(readyReplicas) },
        { type: 'Number', float: String(count) },
      ],
      count,
    });
    const answers = [
      {
        rows: [groups(1, 2), groups(3, 1)],
        continue: 'next',
        errors: [{ error: partOfGroups(3) }],
      },
      { rows: [groups(1, 5)], errors: [{ error: partOfGroups(5) }] },
    ];
    const bodies: unknown[] = [];
    door = {
      ...door,
      ask: async ({ body }) => {
        bodies.push(at(body, 'spec', 'continue'));
        const status = { columnNames: ['ready', 'count'], ...answers[bodies.length - 1] };
        return {
          code: 201,
          headers: {},
          body: (async function* () {
            yield JSON.stringify({ kind: 'StatusQuery', status });
          })(),
        };
      },
    };
    const options = { groupBy: [READY], aggregated: [{ name: 'count', type: 'COUNT' as const }] };
    const { out, err } = await query('deployments', options);
    expect(bodies).toEqual([undefined, 'next']);
    expect(out).toBe('READY   COUNT\n1       7\n3       1\n');
    expect(err).toBe('');
  });

  it('prints the price of all answers together, if the server gives it', async () => {
    const answers: readonly JsonObject[] = [
      { rows: [], price: { rows: 3, steps: 800, rowSteps: 7 }, continue: 'next' },
      { rows: [], price: { rows: 2, steps: 600, rowSteps: 9 } },
    ];
    const printed = async (given: readonly JsonObject[]): Promise<JsonValue> => {
      let asked = 0;
      door = {
        ...door,
        ask: async () => {
          const status = { columnNames: ['ready'], ...given[asked] };
          asked += 1;
          return {
            code: 201,
            headers: {},
            body: (async function* () {
              yield JSON.stringify({ kind: 'StatusQuery', status });
            })(),
          };
        },
      };
      const { out } = await query('deployments', { select: [READY], output: 'json' });
      return parseJson(out);
    };
    expect(at(await printed(answers), 'status', 'price')).toEqual({
      ...{ rows: 5, steps: 1400, rowSteps: 9 },
    });
    const [first = {}, last = {}] = answers;
    const { price: _price, ...older } = last;
    expect(at(await printed([first, older]), 'status', 'price')).toBeUndefined();
  });

  it('notes the errors of rows, and that there are no rows', async () => {
    const { err } = await query('deployments', {
      select: [{ name: 'x', def: 'returned.status.x' }],
    });
    const fault = 'no such key: x';
    expect(err).toContain(`${rowError('deployments.apps/web', 'north', { column: 'x', fault })}\n`);
    const filtered = await query('deploy/api', { select: [READY], filter: 'returned.status.x' });
    const ofFilter = rowError('deployments.apps/api', 'east', { column: '', fault });
    expect(filtered.err).toBe(`starfold: ${ofFilter}\nstarfold: ${NO_ROWS}\n`);
    for (let index = 0; index < 20; index += 1)
      source.put(status(WEB, `w-${index}`, { status: {} }));
    const many = await query('deployment/web', { select: [READY] });
    expect(many.err).toContain(`starfold: ${moreErrors(10, 10)}\n`);
    for (let index = 20; index < 150; index += 1)
      source.put(status(WEB, `w-${index}`, { status: {} }));
    const most = await query('deployment/web', { select: [READY] });
    expect(most.err).toContain(`starfold: ${moreErrors(140, 90)}\n`);
    expect(most.err).not.toContain('more WECs have');
    const mean = { name: 'mean', type: 'AVG', subject: '1' } as const;
    const none = await query('deploy/api', { aggregated: [mean], filter: 'false' });
    expect(none.err).toContain(answerError('mean', NO_VALUES));
  });

  it('prints YAML', async () => {
    const { out } = await query('deploy/api', { select: [READY], output: 'yaml' });
    expect(out).toContain('kind: StatusQuery\n');
    expect(out).toContain('float: "2"');
  });

  it.each<
    [
      string,
      string | undefined,
      Partial<QueryCommand>,
      typeof InputError | typeof UsageError,
      string,
    ]
  >([
    [
      'an expression',
      'deploy',
      { select: [{ name: 'a', def: 'b' }] },
      InputError,
      'spec.select[0].def: line 1',
    ],
    ['a resource', 'gizmos', { select: [READY] }, InputError, unknownResource('gizmos', undefined)],
    ['no column', 'deploy', {}, UsageError, NO_COLUMN],
    [
      'a selector',
      'deploy',
      { select: [READY], selector: 'a>1' },
      UsageError,
      invalidSelector('a>1', NO_COMPARISON),
    ],
    [
      'a broken selector',
      'deploy',
      { select: [READY], selector: '=' },
      UsageError,
      invalidSelector('=', ''),
    ],
    ['a name', 'deploy/', { select: [READY] }, UsageError, notAnObject('deploy/')],
  ])('explains what is wrong with %s', async (...[, text, options, type, message]) => {
    const asked = query(text, options);
    await expect(asked).rejects.toThrow(type);
    await expect(asked).rejects.toThrow(message);
  });
});

describe('starfold query --save', () => {
  it('prints the StatusCollector that computes the same', () => {
    const args = [
      'query',
      '--filter',
      'propagation.stale',
      '--group-by',
      'r=inventory.labels.region',
    ];
    const aggregated = [
      '--max',
      'm=returned.status.replicas',
      '--count',
      'wecs',
      '--save',
      'stale',
    ];
    expect(starfold([...args, ...aggregated])).toMatchObject({
      code: 0,
      out: `apiVersion: control.kubestellar.io/v1alpha1
kind: StatusCollector
metadata:
  name: stale
spec:
  combinedFields:
    - name: m
      subject: returned.status.replicas
      type: MAX
    - name: wecs
      type: COUNT
  filter: propagation.stale
  groupBy:
    - def: inventory.labels.region
      name: r
  limit: 10000
`,
    });
    const json = starfold([
      'query',
      '--select',
      'a=1',
      '--limit',
      '3',
      '--save',
      's',
      '-o',
      'json',
    ]);
    expect(parseJson(json.out)).toMatchObject({
      spec: { select: [{ name: 'a', def: '1' }], limit: 3 },
    });
  });

  it('prints on standard error what the StatusCollector does not do as the query', () => {
    const objects = ['deploy/web', '-n', 'shop', '-l', 'a=b'];
    const rows = ['--select', 'a=1', '--save', 's'];
    const noted = (...notices: readonly string[]): string =>
      notices.map((notice) => `starfold: ${notice}\n`).join('');
    expect(starfold(['query', ...objects, ...rows]).err).toBe(
      noted(SAVED.selects(objects.join(' ')), SAVED.limit(undefined), SAVED.noWec),
    );
    const named = ['--select', 'wec=inventory.name', '--limit', '3'];
    expect(starfold(['query', '-A', ...rows, ...named]).err).toBe(
      noted(SAVED.selects('-A'), SAVED.limit(3)),
    );
    expect(starfold(['query', '--count', 'n', '--save', 's']).err).toBe(
      noted(SAVED.selects(''), SAVED.groups, SAVED.limit(undefined)),
    );
  });

  it('prints none that would be invalid', () => {
    const options = { aggregated: [], select: [{ name: 'a', def: '1 +' }] };
    expect(() => savedCollector('s', options)).toThrow(/^spec.select\[0\].def, line 1, column 4: /);
    expect(() => savedCollector('s', { aggregated: [] })).toThrow(UsageError);
  });
});

it('starfold query reads files without a server', () => {
  const columns = ['available=returned.status.availableReplicas', 'silent=propagation.silent'];
  const select = columns.flatMap((column) => ['--select', column]);
  const { out, err } = starfold(['query', 'deploy/web', '-n', 'shop', ...select, ...ALL]);
  expect(err).toBe('');
  expect(out).toMatch(/^OBJECT +WEC +AVAILABLE +SILENT\n/);
  expect(out).toMatch(/\ndeployments.apps\/web +wec2 +1 +false\n/);
  const count = ['--group-by', 'kind=obj.kind', '--count', 'rows', '--limit', '1'];
  expect(starfold(['query', '-A', ...count, ...ALL]).out).toMatch(/^KIND +ROWS\n\w+ +\d+\n$/);
});

it.each([
  ['--save', 'Not a name', notAName('Not a name')],
  ['--select', 'ready', PAIR_FORM],
  ['--sum', '=1', PAIR_FORM],
  ['--count', 'ready=returned.status.readyReplicas', COUNT_FORM],
  ['--limit', '0', LIMIT_FORM],
])('starfold query %s %s is wrong usage', (option, text, message) => {
  const { code, err } = starfold(['query', '--count', 'n', option, text]);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

describe('starfold query of what is not there', () => {
  it.each([
    ['deploymnets', 'deploymnets', 'deployments'],
    ['depoy/web', 'depoy', 'deploy'],
    ['gadgtes', 'gadgtes', 'gadgets'],
    ['qqqqqqqq', 'qqqqqqqq', undefined],
  ])('says as starfold get that %s names no resource', async (text, word, near) => {
    const gadget = { group: 'example.com', resource: 'gadgets', namespace: 'shop', name: 'a' };
    source.put(status(gadget, 'east', { kind: 'Gadget', status: {} }));
    await expect(query(text, { select: [READY] })).rejects.toThrow(
      new InputError(unknownResource(word, near)),
    );
  });

  it('says of a resource of which there is nothing what the API says', async () => {
    await expect(query('pods', { select: [READY] })).rejects.toThrow(noObjects('pods', undefined));
  });

  it.each([
    ['deployment/wbe', {}, NOT_FOUND_HINTS.nowhere],
    ['deployment/api', { namespace: 'pay' }, NOT_FOUND_HINTS.elsewhere],
  ])('says of %s why there is nothing', async (text, options, hint) => {
    const name = text.split('/')[1];
    const aggregated = [{ name: 'n', type: 'COUNT' }] as const;
    for (const columns of [{ select: [READY] }, { aggregated }])
      await expect(query(text, { ...columns, ...options })).rejects.toThrow(
        new InputError(notFound(`deployment "${name}"`, hint)),
      );
  });

  it('is content with an object of which the filter leaves nothing', async () => {
    const { out, err } = await query('deployment/web', { select: [READY], filter: 'false' });
    expect(out).toBe('');
    expect(err).toBe(`starfold: ${NO_ROWS}\n`);
  });
});
