import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseConfig } from '#functions/event-forwarder/program/config.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';
import { histories } from '#test/histories.ts';

type Fields = Record<string, unknown>;

const clusterName = fc
  .stringMatching(/^[a-z0-9][a-z0-9-]{0,20}[a-z0-9]$/)
  .filter((name) => Number.isNaN(Number(name)));
const resource = fc.constantFrom(
  'deployments.apps/v1',
  'services/v1',
  'widgets.example.com/v1beta1',
);

const select = fc.oneof(
  fc.record({ appliedManifestWorks: fc.constant(true) }),
  fc.record({
    appliedManifestWorks: fc.constant(false),
    labelSelector: fc.constantFrom('a=b', 'app in (a, b)'),
  }),
  fc.record({
    appliedManifestWorks: fc.constant(false),
    resources: fc.uniqueArray(resource, { minLength: 1 }),
  }),
);

const source = fc.oneof(
  fc.record({ type: fc.constant('wds'), name: clusterName }),
  fc.record({ type: fc.constant('its'), name: clusterName, wds: clusterName }),
  fc.record({ type: fc.constant('wec'), name: clusterName, wds: clusterName, select }),
);

const queue = fc.oneof(
  fc.record({
    sqs: fc.record({
      url: fc.constant('https://sqs.eu-central-1.amazonaws.com/111122223333/events'),
      region: fc.constant('eu-central-1'),
    }),
  }),
  // A file that every process can read.
  fc.record({
    http: fc.record({
      url: fc.constantFrom('https://starfold.example.com:8443', 'http://127.0.0.1:8080'),
      tokenFile: fc.constant(import.meta.filename),
    }),
  }),
);

const whole = {
  batchMilliseconds: [0, 60_000],
  heartbeatSeconds: [1, 240],
  resyncHours: [1, 168],
  shutdownSeconds: [0, 600],
} as const;

const config: fc.Arbitrary<Fields> = fc.record({
  source,
  queue,
  leaderElection: fc.record({
    enabled: fc.boolean(),
    namespace: clusterName,
    name: clusterName,
    leaseDurationSeconds: fc.integer({ min: 60, max: 3_600 }),
    renewDeadlineSeconds: fc.integer({ min: 30, max: 59 }),
    retryPeriodSeconds: fc.integer({ min: 1, max: 24 }),
  }),
  kubernetes: fc.record({
    kubeconfig: fc.constantFrom(null, import.meta.filename),
    context: fc.option(clusterName),
    qps: fc.integer({ min: 1, max: 10_000 }),
    burst: fc.integer({ min: 1, max: 100_000 }),
  }),
  server: fc.record({
    port: fc.integer({ min: 0, max: 65_535 }),
    host: fc.constantFrom('::', '127.0.0.1'),
  }),
  logLevel: fc.constantFrom('debug', 'info', 'warn', 'error'),
  batchMilliseconds: fc.option(fc.integer({ min: 0, max: 60_000 })),
  heartbeatSeconds: fc.option(fc.integer({ min: 1, max: 240 })),
  resyncHours: fc.integer({ min: 1, max: 168 }),
  shutdownSeconds: fc.integer({ min: 0, max: 600 }),
});

/** A fault: the field that it is in, and a value that does it. */
type Fault = readonly [field: string, value: unknown];

const fault: fc.Arbitrary<Fault> = fc.oneof(
  ...Object.entries(whole).map(([field, [least, most]]) =>
    fc.constantFrom<Fault>(
      [field, least - 1],
      [field, most + 1],
      [field, 1.5],
      [field, `${most}`],
      // These may be left to the program.
      [field, field === 'batchMilliseconds' || field === 'heartbeatSeconds' ? {} : null],
    ),
  ),
  fc.constantFrom<Fault>(
    ['source.name', ''],
    ['source.name', 'a/b'],
    ['source.name', 7],
    ['source.names', 'a'],
    ['queue.kafka', {}],
    ['leaderElection.enabled', 'yes'],
    ['leaderElection.namespace', 'Starfold'],
    ['leaderElection.namespace', 'a.b'],
    ['leaderElection.name', 'a_b'],
    ['leaderElection.leaseDurationSeconds', 10],
    ['leaderElection.leaseDuration', 10],
    ['kubernetes.qps', 0],
    ['kubernetes.qps', 0.99],
    ['kubernetes.burst', 0],
    ['kubernetes.context', ''],
    ['kubernetes.kubeconfig', 'no-such-file'],
    ['server.port', 65_536],
    ['server.port', -1],
    ['server.host', ''],
    ['server.tls', true],
    ['logLevel', 'INFO'],
    ['loglevel', 'info'],
  ),
);

function withFault(fields: Fields, [field, value]: Fault): Fields {
  const [name = '', ...rest] = field.split('.');
  // The fields of a fault are those of mappings that every configuration has.
  const inner =
    rest.length === 0 ? value : withFault(fields[name] as Fields, [rest.join('.'), value]);
  return { ...fields, [name]: inner };
}

function reported(fields: Fields): readonly string[] {
  const reading = parseConfig('f.yaml', stringify(fields, KUBECTL_YAML));
  if (reading.ok) return [];
  return reading.faults.map((line) => /^f\.yaml:\d+: ([^:]+): ./.exec(line)?.[1] ?? line).sort();
}

test('a good configuration is taken as it stands', () => {
  fc.assert(
    fc.property(config, (fields) => {
      expect(parseConfig('f.yaml', stringify(fields, KUBECTL_YAML))).toEqual({
        ok: true,
        config: fields,
      });
    }),
  );
});

test('any faults are all reported, each once, and nothing else is', () => {
  fc.assert(
    fc.property(
      config,
      fc.uniqueArray(fault, { minLength: 1, maxLength: 12, selector: ([field]) => field }),
      (fields, faults) => {
        const bad = faults.reduce(withFault, fields);
        expect(reported(bad)).toEqual(faults.map(([field]) => field).sort());
      },
    ),
    { numRuns: histories({ first: 100, all: 300 }) },
  );
});

test('whatever a configuration is, reading it ends with a configuration or with faults', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const any = fc.oneof(
    value,
    fc.dictionary(
      fc.constantFrom('source', 'queue', 'leaderElection', 'kubernetes', 'server'),
      value,
    ),
    config.chain((fields) =>
      fc
        .tuple(fc.constantFrom(...Object.keys(fields)), value)
        .map(([name, other]) => ({ ...fields, [name]: other })),
    ),
  );
  fc.assert(
    fc.property(any, (content) => {
      const reading = parseConfig('f.yaml', stringify(content, KUBECTL_YAML));
      expect(reading.ok || reading.faults.length > 0).toBe(true);
    }),
    { numRuns: histories({ first: 100, all: 300 }) },
  );
});
