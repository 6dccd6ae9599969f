import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GIT_VERSION } from '#local/simulated-cluster/discovery.ts';
import packageJson from '#package.json' with { type: 'json' };
import { KUBERNETES_VERSION } from '#shared/api/server-version.ts';
import { at, type JsonValue, member, stringifyJson } from '#shared/core/json.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import { AskedApi, ROOT } from './ask.ts';

const AGGREGATED = (version: string) =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList,application/json`;
const V3 = `/openapi/v3${ROOT}`;

describe('discovery', () => {
  it('lists the resources with names, short names and verbs', async () => {
    const { body } = await new AskedApi().ask(ROOT);
    const verbs = ['get', 'list', 'watch'];
    expect(body).toEqual({
      apiVersion: 'v1',
      kind: 'APIResourceList',
      groupVersion: 'status.starfold.dev/v1alpha1',
      resources: [
        {
          name: 'wecstatuses',
          singularName: 'wecstatus',
          kind: 'WECStatus',
          shortNames: ['wecst'],
          namespaced: true,
          verbs,
        },
        {
          name: 'clusterwecstatuses',
          singularName: 'clusterwecstatus',
          kind: 'ClusterWECStatus',
          shortNames: ['cwecst'],
          namespaced: false,
          verbs,
        },
        {
          name: 'explanations',
          singularName: 'explanation',
          kind: 'Explanation',
          shortNames: ['why'],
          namespaced: true,
          verbs,
        },
        {
          name: 'clusterexplanations',
          singularName: 'clusterexplanation',
          kind: 'ClusterExplanation',
          shortNames: ['cwhy'],
          namespaced: false,
          verbs,
        },
        {
          name: 'wecs',
          singularName: 'wec',
          kind: 'WEC',
          shortNames: [],
          namespaced: false,
          verbs,
        },
        {
          name: 'statusqueries',
          singularName: 'statusquery',
          kind: 'StatusQuery',
          shortNames: [],
          namespaced: true,
          verbs: ['create'],
        },
        {
          name: 'clusterstatusqueries',
          singularName: 'clusterstatusquery',
          kind: 'ClusterStatusQuery',
          shortNames: [],
          namespaced: false,
          verbs: ['create'],
        },
      ],
    });
  });

  it('lists the group', async () => {
    const asked = new AskedApi();
    expect((await asked.ask('/apis')).body).toMatchObject({
      kind: 'APIGroupList',
      groups: [{ name: 'status.starfold.dev' }],
    });
    expect((await asked.ask('/apis/status.starfold.dev')).body).toMatchObject({
      kind: 'APIGroup',
      preferredVersion: { version: 'v1alpha1' },
    });
  });

  it.each(['v2', 'v2beta1'])('is aggregated in %s for clients that ask for it', async (version) => {
    const { headers, body } = await new AskedApi().ask('/apis', { accept: AGGREGATED(version) });
    expect(headers['content-type']).toBe(
      `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    );
    expect(body).toMatchObject({
      apiVersion: `apidiscovery.k8s.io/${version}`,
      items: [
        {
          versions: [
            {
              freshness: 'Current',
              resources: [
                { resource: 'wecstatuses', scope: 'Namespaced' },
                { scope: 'Cluster' },
                { resource: 'explanations' },
                { resource: 'clusterexplanations' },
                { resource: 'wecs' },
                { resource: 'statusqueries', verbs: ['create'] },
                { resource: 'clusterstatusqueries', verbs: ['create'] },
              ],
            },
          ],
        },
      ],
    });
  });

  it.each([
    AGGREGATED('v3'),
    'application/json',
    '',
    'application/json,application/json;as=APIGroupDiscoveryList;v=v2',
    'application/vnd.kubernetes.protobuf',
  ])('is plain for "%s"', async (accept) => {
    expect((await new AskedApi().ask('/apis', { accept })).body).toMatchObject({
      kind: 'APIGroupList',
    });
  });

  it('is answered without the table, without the WDS and without a user', async () => {
    const asked = new AskedApi();
    asked.source.failure = new StoreUnavailableError('get');
    asked.wds.failure = new Error('down');
    for (const path of [
      '/apis',
      '/apis/status.starfold.dev',
      ROOT,
      `${ROOT}/`,
      '/openapi/v2',
      '/openapi/v3',
      V3,
      '/version',
      '/healthz',
      '/readyz',
      '/livez',
    ])
      expect((await asked.ask(path)).code).toBe(200);
    expect(asked.source.calls).toEqual([]);
    expect(asked.wds.asked).toEqual([]);
  });
});

describe('the version', () => {
  it('is that of the Kubernetes whose conventions the API follows, and names Starfold as its build', async () => {
    const { body } = await new AskedApi().ask('/version');
    const [major, minor] = KUBERNETES_VERSION.split('.');
    expect(body).toEqual({
      major,
      minor,
      gitVersion: `v${KUBERNETES_VERSION}+starfold-${packageJson.version}`,
      gitCommit: '',
      gitTreeState: '',
      buildDate: '1970-01-01T00:00:00Z',
      goVersion: '',
      compiler: '',
      platform: '',
    });
    // What Semantic Versioning allows: kubectl does not read anything else.
    expect(member(body, 'gitVersion')).toMatch(/^v\d+\.\d+\.\d+\+[\dA-Za-z.-]+$/);
  });

  it('is that of the kubectl with which it is tested', () => {
    expect(GIT_VERSION).toBe(`v${KUBERNETES_VERSION}`);
    const modules = readFileSync('infra/local/kube-assets/kube-modules/go.mod', 'utf8');
    expect(modules).toContain(`k8s.io/kubernetes ${GIT_VERSION} `);
  });

  it('is only read', async () => {
    const { code } = await new AskedApi().ask('/version', { method: 'POST' });
    expect(code).toBe(405);
  });
});

/** Every reference in a document. */
function references(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === '$ref' ? [String(one)] : references(one),
  );
}

describe('OpenAPI', () => {
  it.each([
    ['/openapi/v2', 'definitions', '#/definitions/'],
    [V3, 'schemas', '#/components/schemas/'],
  ])('at %s has a definition for each kind, under names of its own', async (path, key, prefix) => {
    const { body } = await new AskedApi().ask(path);
    const definitions = member(
      key === 'schemas' ? member(body, 'components') : body,
      key,
    ) as Record<string, JsonValue>;
    for (const name of Object.keys(definitions)) expect(name).toMatch(/^dev\.starfold\./);
    for (const kind of [
      'WECStatus',
      'ClusterWECStatus',
      'Explanation',
      'ClusterExplanation',
      'WEC',
      'StatusQuery',
    ])
      expect(definitions[`dev.starfold.status.v1alpha1.${kind}`]).toMatchObject({
        'x-kubernetes-group-version-kind': [
          { group: 'status.starfold.dev', version: 'v1alpha1', kind },
        ],
      });
    for (const reference of references(body))
      expect(definitions).toHaveProperty([reference.slice(prefix.length)]);
  });

  it('leaves the validation of a query to the server, and says that nothing is patched', async () => {
    const asked = new AskedApi();
    const path = `${ROOT}/namespaces/{namespace}/statusqueries`;
    const operations = at((await asked.ask(V3)).body, 'paths', path);
    const fieldValidation = expect.arrayContaining([
      expect.objectContaining({ name: 'fieldValidation', in: 'query' }),
    ]);
    expect(operations).toMatchObject({
      post: { parameters: fieldValidation, requestBody: { required: true } },
      patch: { parameters: fieldValidation, responses: { '405': {} } },
    });
    const { code } = await asked.ask(path.replace('{namespace}', 'shop'), { method: 'PATCH' });
    expect(code).toBe(405);
    const v2 = at((await asked.ask('/openapi/v2')).body, 'paths', path, 'post', 'parameters');
    expect(v2).toMatchObject([{ name: 'body', in: 'body' }, {}, {}, { type: 'string' }]);
  });

  it('describes every field of a WECStatus', async () => {
    const { body } = await new AskedApi().ask(V3);
    const schema = at(
      body,
      'components',
      'schemas',
      'dev.starfold.status.v1alpha1.WECStatus',
      'properties',
    );
    expect(Object.keys(schema as object).sort()).toEqual([
      'apiVersion',
      'bindings',
      'generation',
      'health',
      'kind',
      'lastContact',
      'lastUpdate',
      'metadata',
      'state',
      'status',
      'wec',
      'workload',
    ]);
    expect(stringifyJson(schema)).toContain('preserve-unknown-fields');
  });

  it('names the version 3 document with a hash', async () => {
    const { body } = await new AskedApi().ask('/openapi/v3');
    expect(at(body, 'paths', 'apis/status.starfold.dev/v1alpha1', 'serverRelativeURL')).toMatch(
      /^\/openapi\/v3\/apis\/status.starfold.dev\/v1alpha1\?hash=[0-9A-F]{32}$/,
    );
  });

  it('is 406 in protocol buffers, so that kubectl asks for JSON', async () => {
    const { code } = await new AskedApi().ask('/openapi/v2', {
      accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
    });
    expect(code).toBe(406);
  });
});
