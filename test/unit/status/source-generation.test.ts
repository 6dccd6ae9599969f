import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { WecRow, WorkloadObject } from '#shared/core/row.ts';
import { createGenerationTranslator } from '#shared/core/status/source-generation.ts';
import { createSpecComparison } from '#shared/core/status/spec-comparison.ts';
import { deployment } from '#test/fixtures/wec-rows.ts';

function row(observed: number, more: Partial<WecRow>): WecRow {
  return {
    wec: 'wec1',
    uid: 'u',
    generation: 7,
    status: { observedGeneration: observed },
    ...more,
  };
}

describe('the generation that a WEC has observed, in the numbers of the WDS', () => {
  const translate = (one: WecRow, generation = 5) =>
    createGenerationTranslator(deployment(generation), new Map()).translate(one);

  it.each([
    ['its source', row(7, { sourceGeneration: 5 }), 5, true],
    ['one less before it has observed its object', row(6, { sourceGeneration: 5 }), 4, false],
    ['an older source', row(7, { sourceGeneration: 3 }), 3, false],
    ['one less than an older source, unobserved', row(6, { sourceGeneration: 3 }), 2, false],
    ['never below 0', row(6, { sourceGeneration: 0 }), 0, false],
    ['never above what we know of the WDS', row(7, { sourceGeneration: 6 }), 5, true],
    ['not current with a newer source, unobserved', row(6, { sourceGeneration: 6 }), 4, false],
    ['not current while deleted', row(7, { sourceGeneration: 5, deleting: true }), 4, false],
    ['lagging without annotation and spec', row(7, {}), 4, false],
    ['lagging with a spec that is not known', row(7, { specHash: 'unknown' }), 4, false],
  ])('is %s', (...[_name, one, translated, current]) => {
    expect(translate(one)).toEqual({ translated, current });
  });

  it.each([
    [3, 3, false],
    [5, 5, true],
    [7, 5, true],
  ])(
    'is the number itself, if nothing but the status is known: %s',
    (...[observed, translated, current]) => {
      expect(translate(row(observed, { generation: 0 }))).toEqual({ translated, current });
    },
  );

  it('is the number itself, if the WDS object has no generation', () => {
    const known = { sourceGeneration: 2, generation: 4 };
    expect(translate(row(4, known), 0)).toEqual({ translated: 4, current: true });
    expect(translate(row(3, known), 0)).toEqual({ translated: 3, current: false });
  });

  it('takes an absent observedGeneration for 0', () => {
    expect(translate({ wec: 'wec1', uid: 'u', generation: 1, sourceGeneration: 5 })).toEqual({
      translated: 4,
      current: false,
    });
  });

  it('takes a WEC that has returned nothing for one that has not seen the current generation', () => {
    const unseen = (generation: number) =>
      createGenerationTranslator(deployment(generation), new Map()).translate(undefined);
    expect(unseen(5)).toEqual({ translated: 4, current: false });
    expect(unseen(0)).toEqual({ translated: 0, current: false });
  });

  it("is the WDS's current generation if the spec is the WDS's, without an annotation", () => {
    const specs = new Map([['h', { replicas: 3, paused: false }]]);
    const { translate: translated } = createGenerationTranslator(deployment(5), specs);
    expect(translated(row(7, { specHash: 'h' }))).toEqual({ translated: 5, current: true });
  });
});

describe("whether the WDS's spec stands in the WEC's", () => {
  function stands(workload: WorkloadObject, spec: JsonValue, more: Partial<WecRow> = {}): boolean {
    const compare = createSpecComparison(workload, new Map([['h', spec]]));
    return compare(row(7, { specHash: 'h', ...more }));
  }
  const template = { spec: { containers: [{ name: 'c', image: 'web:v1' }], volumes: [] } };
  const spec: JsonObject = { replicas: 3, template };
  const defaulted: JsonObject = {
    replicas: 3,
    progressDeadlineSeconds: 600,
    template: {
      spec: {
        containers: [{ name: 'c', image: 'web:v1', imagePullPolicy: 'IfNotPresent' }],
        volumes: [],
        restartPolicy: 'Always',
      },
    },
  };
  const containers = (...list: JsonObject[]): JsonObject => ({
    ...defaulted,
    template: { spec: { containers: list, volumes: [] } },
  });

  it.each([
    ['with defaulted fields, also inside lists', spec, defaulted, true],
    ['not with another value', spec, { ...defaulted, replicas: 2 }, false],
    ['not with another image', spec, containers({ name: 'c', image: 'web:v2' }), false],
    ['not with a longer list', spec, containers({ name: 'c', image: 'web:v1' }, {}), false],
    ['not with a shorter list', spec, containers(), false],
    ['not without a field', { ...spec, strategy: { type: 'Recreate' } }, defaulted, false],
    ['not where a map stands for a list', spec, { ...defaulted, template: [] }, false],
    ['with null for absent', { ...spec, strategy: null }, defaulted, true],
    [
      'with false for absent, where API servers omit it',
      { ...spec, paused: false },
      defaulted,
      true,
    ],
    [
      'with 0 for absent, where API servers omit it',
      { ...spec, minReadySeconds: 0 },
      defaulted,
      true,
    ],
    ['not with false for absent elsewhere', { ...spec, enabled: false }, defaulted, false],
    ['not with true for absent', { ...spec, paused: true }, defaulted, false],
    ['not with 0 for the default', { ...spec, replicas: 0 }, { ...defaulted, replicas: 1 }, false],
  ])('%s', (...[_name, wanted, found, answer]) => {
    expect(stands(deployment(5, wanted), found)).toBe(answer);
  });

  describe('in a pod template that was written by hand', () => {
    const templateOf = (pod: JsonObject, container: JsonObject): JsonObject => ({
      template: { spec: { ...pod, containers: [{ name: 'c', ...container }] } },
    });

    it.each<[string, JsonObject, JsonObject]>([
      ['empty lists', { volumes: [] }, { args: [], ports: [] }],
      ['empty maps', { nodeSelector: {} }, { resources: {} }],
      ['empty texts', { hostname: '' }, { workingDir: '', env: [] }],
      ['false', { hostNetwork: false }, { tty: false }],
    ])('with absent ones for %s', (_name, pod, container) => {
      expect(stands(deployment(5, templateOf(pod, container)), templateOf({}, {}))).toBe(true);
      const custom = { ...deployment(5, templateOf(pod, container)), apiVersion: 'example.com/v1' };
      expect(stands(custom, templateOf({}, {}))).toBe(false);
    });

    it('with absent values of variables, ports and probes that are empty', () => {
      const given = {
        env: [{ name: 'A', value: '' }],
        ports: [{ containerPort: 80, hostPort: 0 }],
        livenessProbe: { initialDelaySeconds: 0 },
      };
      const kept = {
        env: [{ name: 'A' }],
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        livenessProbe: { periodSeconds: 10 },
      };
      expect(stands(deployment(5, templateOf({}, given)), templateOf({}, kept))).toBe(true);
    });

    it.each<[string, JsonObject, JsonObject]>([
      ['a user', {}, { securityContext: { runAsUser: 0 } }],
      ['a source of a volume', { volumes: [{ name: 'v', emptyDir: {} }] }, {}],
      ['a label of nodes', { nodeSelector: { 'example.com/gpu': '' } }, {}],
      ['a label called like a field', { nodeSelector: { host: '' } }, {}],
      ['a token that is not wanted', { automountServiceAccountToken: false }, {}],
    ])('not with an absent one for %s, which API servers keep', (_name, pod, container) => {
      const found = templateOf(
        { volumes: [{ name: 'v' }], nodeSelector: {} },
        { securityContext: {} },
      );
      expect(stands(deployment(5, templateOf(pod, container)), found)).toBe(false);
    });

    it.each([
      ['1000m', '1', true],
      [0.5, '500m', true],
      ['1Gi', '1024Mi', true],
      ['1', '2', false],
      ['1', undefined, false],
      [0, undefined, false],
    ])('with quantities of one value: %j and %j', (given, found, answer) => {
      const resources = (cpu: JsonValue | undefined): JsonObject => ({
        resources: { limits: cpu === undefined ? {} : { cpu } },
      });
      const workload = deployment(5, templateOf({}, resources(given)));
      expect(stands(workload, templateOf({}, resources(found)))).toBe(answer);
      const custom = { ...workload, apiVersion: 'example.com/v1' };
      expect(stands(custom, templateOf({}, resources(found)))).toBe(false);
    });

    it('not with another spelling of what is not a quantity', () => {
      const image = (tag: JsonValue): JsonObject => templateOf({}, { image: tag });
      expect(stands(deployment(5, image('1.0')), image('1'))).toBe(false);
      const dir = (sizeLimit: string) => ({ volumes: [{ name: 'v', emptyDir: { sizeLimit } }] });
      expect(stands(deployment(5, templateOf(dir('1Gi'), {})), templateOf(dir('1024Mi'), {}))).toBe(
        true,
      );
    });
  });

  it('does not compare spec.replicas if an autoscaler in the WEC owns it', () => {
    const scaled = { ...defaulted, replicas: 9 };
    expect(stands(deployment(5, spec), scaled, { replicasFromScale: true })).toBe(true);
    expect(stands(deployment(5, spec), scaled, { replicasFromScale: false })).toBe(false);
  });

  it('is true for an object without a spec, whatever the WEC has', () => {
    const { spec: _spec, ...bare } = deployment();
    expect(createSpecComparison({ ...bare, apiVersion: 'v1' }, new Map())(row(7, {}))).toBe(true);
  });

  it("does not compare what KubeStellar's transport removes from a Service", () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {},
      spec: {
        clusterIP: '10.0.0.1',
        clusterIPs: ['10.0.0.1'],
        ports: [{ port: 80, nodePort: 30001 }],
      },
    };
    const inWec = { clusterIP: '10.9.9.9', clusterIPs: [], ports: [{ port: 80, nodePort: 31234 }] };
    expect(stands(service, inWec)).toBe(true);
    expect(stands(service, { ...inWec, ports: [{ port: 81 }] })).toBe(false);
    expect(stands({ ...service, spec: { ports: 'none' } }, { ports: 'none' })).toBe(true);
  });

  it("does not compare the labels that a Job's API server makes", () => {
    const labels = (uid: string) => ({ app: 'a', 'batch.kubernetes.io/controller-uid': uid });
    const job = (uid: string) => ({
      selector: { matchLabels: labels(uid) },
      template: { metadata: { labels: labels(uid) } },
    });
    const workload = { apiVersion: 'batch/v1', kind: 'Job', metadata: {}, spec: job('wds') };
    expect(stands(workload, job('wec'))).toBe(true);
    expect(stands(workload, { ...job('wec'), selector: {} })).toBe(false);
  });

  it('answers for each distinct spec, and again from what it knows', () => {
    const compare = createSpecComparison(
      deployment(5, spec),
      new Map<string, JsonValue>([
        ['same', defaulted],
        ['other', { replicas: 1 }],
      ]),
    );
    const answers = ['same', 'other', 'same', 'other'].map((specHash) =>
      compare(row(7, { specHash })),
    );
    expect(answers).toEqual([true, false, true, false]);
  });
});
