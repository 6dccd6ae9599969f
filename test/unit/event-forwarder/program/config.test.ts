import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type ConfigReading,
  parseConfig,
  readConfig,
} from '#functions/event-forwarder/program/config.ts';
import {
  CONFIG,
  CREDENTIALS,
  EVERY_OBJECT,
  FIFO,
  HTTP_PATH,
  HTTP_URL,
  LABEL_KEY,
  LABEL_VALUE,
  LEASE_NAME_MISSING,
  LEASE_ORDER,
  MAPPING,
  NO_RESOURCE,
  noSuchFile,
  notAFile,
  notYaml,
  OTHER_REGION,
  PLAIN_CA,
  QPS,
  QUEUE,
  REGION_MISSING,
  RESOURCE,
  repeatedKey,
  SELECT,
  SELECTOR,
  SOURCE,
  SOURCE_NAME,
  TYPE,
  unknownField,
  wholeNumber,
} from '#functions/event-forwarder/program/config-messages.ts';
import { noRequirementText } from '#shared/core/binding/messages.ts';

const folder = mkdtempSync(join(tmpdir(), 'starfold-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const tokenFile = file('token', 't'.repeat(32));
const SQS =
  'sqs: {url: "https://sqs.eu-central-1.amazonaws.com/111122223333/starfold-prod-events"}';

const WDS = 'source: {type: wds, name: wds1}';

function faultsOf(reading: ConfigReading): readonly string[] {
  return reading.ok ? [] : reading.faults;
}

function faults(...lines: readonly string[]): readonly string[] {
  return faultsOf(parseConfig('f.yaml', lines.join('\n')));
}

describe('a configuration', () => {
  it('needs a source and a queue, and has defaults for the rest', () => {
    expect(parseConfig('f.yaml', `${WDS}\nqueue: {${SQS}}`)).toEqual({
      ok: true,
      config: {
        source: { type: 'wds', name: 'wds1' },
        queue: {
          sqs: { url: 'https://sqs.eu-central-1.amazonaws.com/111122223333/starfold-prod-events' },
        },
        leaderElection: {
          enabled: true,
          namespace: 'starfold',
          name: 'event-forwarder-wds-wds1',
          leaseDurationSeconds: 15,
          renewDeadlineSeconds: 10,
          retryPeriodSeconds: 2,
        },
        kubernetes: { kubeconfig: null, context: null, qps: 20, burst: 40 },
        batchMilliseconds: null,
        heartbeatSeconds: null,
        resyncHours: 10,
        server: { port: 8080, host: '0.0.0.0' },
        shutdownSeconds: 20,
        logLevel: 'info',
      },
    });
  });

  it.each([
    ['what OCM applied', 'name: c1, select: {appliedManifestWorks: true}'],
    ['what OCM applied, of one WDS', 'name: c1, wds: wds1, select: {appliedManifestWorks: true}'],
    ['labels', 'name: c1, wds: wds1, select: {labelSelector: "app in (a, b)"}'],
    ['resources', 'name: c1, wds: wds1, select: {resources: [deployments.apps/v1, services/v1]}'],
    [
      'labels of resources, not what OCM applied',
      'name: c1, wds: w, select: {appliedManifestWorks: false, labelSelector: a, resources: [pods/v1]}',
    ],
  ])('can choose the objects of a WEC by %s', (_by, source) => {
    expect(faults(`source: {type: wec, ${source}}`, `queue: {${SQS}}`)).toEqual([]);
  });

  it('can have labels and annotations of a WEC, within 8 KiB together', () => {
    const source = 'source: {type: wec, name: c1, wds: w, select: {labelSelector: a}';
    const queue = `queue: {${SQS}}`;
    expect(faults(`${source}, labels: {region: eu}, annotations: {owner: "1"}}`, queue)).toEqual(
      [],
    );
    expect(faults(`${source}, labels: {region: 1}}`, queue)).toEqual([
      expect.stringMatching(/source\.labels\.region: must be a mapping of texts/),
    ]);
    const large = 'x'.repeat(9_000);
    expect(faults(`${source}, labels: {a: b}, annotations: {a: ${large}}}`, queue)).toEqual([
      expect.stringMatching(
        /source\.labels: must not have more than 500 entries or 8192 bytes as JSON/,
      ),
    ]);
  });

  it.each([
    ['labels: {a/b/c: x}', 'source.labels.a/b/c', LABEL_KEY],
    ['labels: {"": x}', 'source.labels.', LABEL_KEY],
    ['labels: {"a\\e[2J\\nb": x}', 'source.labels.a [2J b', LABEL_KEY],
    ['labels: {region: "eu\\n"}', 'source.labels.region', LABEL_VALUE],
    ['labels: {region: "\\e[2J"}', 'source.labels.region', LABEL_VALUE],
    [`labels: {region: ${'x'.repeat(64)}}`, 'source.labels.region', LABEL_VALUE],
    ['annotations: {"a b": x}', 'source.annotations.a b', LABEL_KEY],
  ])('has no label or annotation that Kubernetes rejects: %j', (given, field, fault) => {
    const source = `source: {type: wec, name: c1, wds: w, select: {labelSelector: a}, ${given}}`;
    expect(faults(source, `queue: {${SQS}}`)).toEqual([`f.yaml:1: ${field}: ${fault}`]);
  });

  it('can have any value of an annotation, and a prefix of its key in capitals', () => {
    const given =
      'labels: {example.com/a: ""}, annotations: {Example.com/a: "two\\nlines, and more"}';
    const source = `source: {type: wec, name: c1, wds: w, select: {labelSelector: a}, ${given}}`;
    expect(faults(source, `queue: {${SQS}}`)).toEqual([]);
  });

  it('can name a hub for the labels of its ManagedClusters, with its name alone', () => {
    const source = 'source: {type: inventory, name: hub1';
    expect(faults(`${source}}`, `queue: {${SQS}}`)).toEqual([]);
    expect(faults(`${source}, wds: wds1}`, `queue: {${SQS}}`)).toEqual([
      expect.stringMatching(/source\.wds: is not known here/),
    ]);
  });

  it('can name a management cluster of Fleet, with its name alone', () => {
    const source = 'source: {type: fleet, name: upstream1';
    expect(faults(`${source}}`, `queue: {${SQS}}`)).toEqual([]);
    expect(faults(`${source}, wds: wds1}`, `queue: {${SQS}}`)).toEqual([
      expect.stringContaining(`source.wds: ${unknownField('wds', ['type', 'name'])}`),
    ]);
  });

  it('can name an HTTP queue whose token can be read', () => {
    const http = `http: {url: "https://starfold.example.com:8443", tokenFile: ${tokenFile}}`;
    expect(faults(WDS, `queue: {${http}}`)).toEqual([]);
  });
});

const HERE = import.meta.filename;

describe('a fault of a configuration', () => {
  it('is reported with file, line, field and remedy, together with all others, from top to bottom', () => {
    expect(
      faults(
        'source:',
        '  type: wec',
        '  name: cluster/1',
        '  selct: {}',
        'queue:',
        `  ${SQS}`,
        '  http: {url: "ftp://x", tokenFile: gone}',
        'server: {port: 99999}',
        'hartbeatSeconds: 30',
      ),
    ).toEqual([
      `f.yaml:1: source.select: is missing: it ${SELECT}`,
      `f.yaml:3: source.name: ${SOURCE_NAME}`,
      `f.yaml:4: source.selct: ${unknownField('selct', ['select'])}`,
      `f.yaml:5: queue: ${QUEUE}`,
      `f.yaml:7: queue.http.url: ${HTTP_URL}`,
      `f.yaml:7: queue.http.tokenFile: ${noSuchFile('gone')}`,
      `f.yaml:8: server.port: ${wholeNumber(0, 65_535)}`,
      `f.yaml:9: hartbeatSeconds: ${unknownField('hartbeatSeconds', ['heartbeatSeconds'])}`,
    ]);
  });

  it.each([
    ['an empty file', [''], `f.yaml:1: ${CONFIG}`],
    ['a list', ['- source'], `f.yaml:1: ${CONFIG}`],
    [
      'a key that occurs twice',
      [WDS, WDS],
      `f.yaml:2: ${notYaml(repeatedKey(['source'], 'source'))}`,
    ],
    [
      'keys that YAML 1.1 reads as the same boolean',
      ['source:', '  labels: {y: "1", n: "2", on: "3"}'],
      `f.yaml:2: ${notYaml('the keys y and on are all read as true: put a key that is a text in quotes')}`,
    ],
    [
      'a key that occurs twice in the list of another one',
      ['source: {a: [{b: 1}, {b: 1, c: 2, "b": 3}]}'],
      `f.yaml:1: ${notYaml(repeatedKey(['b'], 'b'))}`,
    ],
    [
      'two documents',
      [WDS, '---', WDS],
      `f.yaml:2: ${notYaml('a second document begins here: keep one')}`,
    ],
    ['an alias without anchor', ['source: *gone'], `f.yaml:1: ${notYaml('')}`],
  ])('%s has one', (_fault, lines, says) => {
    expect(faults(...lines)).toEqual([expect.stringContaining(says)]);
  });

  it.each([
    [
      'a number for a name',
      ['source: {type: wds, name: 1}', `queue: {${SQS}}`],
      `source.name: ${SOURCE_NAME}`,
    ],
    [
      'a source without type',
      ['source: {name: a}', `queue: {${SQS}}`],
      `source.type: is missing: it ${TYPE}`,
    ],
    [
      'a source of another type',
      ['source: {type: hub, name: a}', `queue: {${SQS}}`],
      `source.type: ${TYPE}`,
    ],
    ['no source', [`queue: {${SQS}}`], `f.yaml:1: source: is missing: it ${SOURCE}`],
    ['no queue', [WDS, 'queue: {}'], `f.yaml:2: queue: ${QUEUE}`],
    [
      'an empty section',
      [WDS, `queue: {${SQS}}`, 'kubernetes:'],
      `f.yaml:3: kubernetes: ${MAPPING}`,
    ],
    [
      'a URL without region',
      [WDS, 'queue: {sqs: {url: "https://queue.example.com/1/q"}}'],
      `queue.sqs.region: ${REGION_MISSING}`,
    ],
    [
      'a resource without version',
      [
        'source: {type: wec, name: a, wds: w, select: {resources: [pods/v1, pods]}}',
        `queue: {${SQS}}`,
      ],
      `f.yaml:1: source.select.resources[1]: ${RESOURCE}`,
    ],
    [
      'no resource',
      ['source: {type: wec, name: a, wds: w, select: {resources: []}}', `queue: {${SQS}}`],
      `source.select.resources: ${NO_RESOURCE}`,
    ],
    [
      'a Lease that expires too soon',
      [WDS, `queue: {${SQS}}`, 'leaderElection: {leaseDurationSeconds: 10}'],
      `f.yaml:3: leaderElection.leaseDurationSeconds: ${LEASE_ORDER}`,
    ],
    [
      'a deadline between two attempts',
      [WDS, `queue: {${SQS}}`, 'leaderElection: {retryPeriodSeconds: 9}'],
      `leaderElection.leaseDurationSeconds: is missing: it ${LEASE_ORDER}`,
    ],
    [
      'a source that a Lease cannot be named after',
      ['source: {type: wds, name: a..b}', `queue: {${SQS}}`],
      `leaderElection.name: ${LEASE_NAME_MISSING}`,
    ],
    [
      'a selector of everything',
      ['source: {type: wec, name: a, wds: w, select: {labelSelector: "  "}}', `queue: {${SQS}}`],
      `source.select.labelSelector: ${SELECTOR}: ${EVERY_OBJECT}`,
    ],
    [
      'an empty selector',
      ['source: {type: wec, name: a, wds: w, select: {labelSelector: ""}}', `queue: {${SQS}}`],
      `source.select.labelSelector: ${SELECTOR}`,
    ],
    [
      'a selector whose end is missing',
      [
        'source: {type: wec, name: a, wds: w, select: {labelSelector: "app in (a"}}',
        `queue: {${SQS}}`,
      ],
      `source.select.labelSelector: ${SELECTOR}: ${noRequirementText('app in (a')}`,
    ],
    [
      'less than one request a second',
      [WDS, `queue: {${SQS}}`, 'kubernetes: {qps: 0.5}'],
      `kubernetes.qps: ${QPS}`,
    ],
    [
      'a path behind the stack',
      [
        WDS,
        `queue: {http: {url: 'https://starfold.example.com:8443/v1/events', tokenFile: ${HERE}}}`,
      ],
      `queue.http.url: ${HTTP_PATH}`,
    ],
    [
      'an authority for a URL without TLS',
      [
        WDS,
        `queue: {http: {url: 'http://starfold.example.com', tokenFile: ${HERE}, caFile: ${HERE}}}`,
      ],
      `queue.http.caFile: ${PLAIN_CA}`,
    ],
    [
      'a FIFO queue',
      [WDS, 'queue: {sqs: {url: "https://sqs.eu-central-1.amazonaws.com/1/hints.fifo"}}'],
      `queue.sqs.url: ${FIFO}`,
    ],
    [
      'a region other than that of the URL',
      [WDS, `queue: {${SQS.replace('}', ', region: us-east-1}')}}`],
      `queue.sqs.region: ${OTHER_REGION}`,
    ],
    [
      'a region other than that of a VPC endpoint',
      [
        WDS,
        'queue: {sqs: {url: "https://vpce-1-a.sqs.eu-west-1.vpce.amazonaws.com/1/q", region: us-east-1}}',
      ],
      `queue.sqs.region: ${OTHER_REGION}`,
    ],
    [
      'a region other than that of a FIPS endpoint',
      [
        WDS,
        'queue: {sqs: {url: "https://sqs-fips.us-west-2.amazonaws.com/1/q", region: us-east-1}}',
      ],
      `queue.sqs.region: ${OTHER_REGION}`,
    ],
    [
      'an unknown field that resembles no other',
      [WDS, `queue: {${SQS}}`, 'server: {tls: true}'],
      `f.yaml:3: server.tls: ${unknownField('tls', ['port', 'host'])}`,
    ],
  ])('%s has one', (_fault, lines, says) => {
    expect(faults(...lines)).toEqual([expect.stringContaining(says)]);
  });

  it('is not a missing name of a Lease, if no Lease is used or it has a name', () => {
    const lines = ['source: {type: wds, name: a..b}', `queue: {${SQS}}`];
    expect(faults(...lines, 'leaderElection: {enabled: false}')).toEqual([]);
    expect(faults(...lines, 'leaderElection: {name: forwarder-wds1}')).toEqual([]);
  });

  it('is a folder instead of a file', () => {
    const said = faults(WDS, `queue: {${SQS}}`, `kubernetes: {kubeconfig: ${folder}}`);
    expect(said).toEqual([`f.yaml:3: kubernetes.kubeconfig: ${notAFile(folder)}`]);
  });

  it.each([
    ['http', `http: {url: "https://me:hunter2@host:8443", tokenFile: ${tokenFile}}`],
    ['http', `http: {url: "https://hunter2@host", tokenFile: ${tokenFile}}`],
    ['sqs', 'sqs: {url: "https://me:hunter2@sqs.eu-central-1.amazonaws.com/1/q"}'],
  ])('is a password in the URL of %s, which is not repeated', (field, queue) => {
    const said = faults(WDS, `queue: {${queue}}`);
    expect(said).toEqual([`f.yaml:2: queue.${field}.url: ${CREDENTIALS}`]);
  });

  it('does not quote the content of a queue field', () => {
    const secret = 'AKIAIOSFODNN7EXAMPLE';
    const said = faults(WDS, `queue: {http: {url: ${secret}, tokenFile: [${secret}]}}`);
    expect(said).toHaveLength(2);
    expect(said.join()).not.toContain(secret);
  });
});

describe('the default name of the Lease', () => {
  function leaseName(type: string, name: string): string {
    const more = type === 'wec' ? ', select: {appliedManifestWorks: true}' : '';
    const text = `source: {type: ${type}, name: "${name}"${more}}\nqueue: {${SQS}}`;
    const reading = parseConfig('f.yaml', text);
    return reading.ok ? reading.config.leaderElection.name : faultsOf(reading).join();
  }

  it.each([
    ['wec', 'cluster-1', 'event-forwarder-wec-cluster-1'],
    ['its', 'its.example.com', 'event-forwarder-its-its.example.com'],
    // printf wds/WDS_1 | sha256sum
    ['wds', 'WDS_1', 'event-forwarder-wds-wds-1-59b7bbf3'],
    ['fleet', 'upstream1', 'event-forwarder-fleet-upstream1'],
    ['wds', 'a'.repeat(180), `event-forwarder-wds-${'a'.repeat(180)}`],
    ['wds', 'a'.repeat(181), `event-forwarder-wds-${'a'.repeat(170)}-3dc4713f`],
  ])('of %s/%s is %s', (type, name, expected) => {
    expect(leaseName(type, name)).toBe(expected);
  });

  it('is different for each source', () => {
    const long = 'a'.repeat(250);
    const sources = ['prod', 'Prod', 'prod_', 'prod:1', 'prod@1', `${long}b`, `${long}c`];
    const names = ['wec', 'its', 'wds', 'fleet'].flatMap((type) =>
      sources.map((name) => leaseName(type, name)),
    );
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('a configuration file', () => {
  it('is read', () => {
    expect(readConfig(file('good.yaml', `${WDS}\nqueue: {${SQS}}`))).toMatchObject({ ok: true });
  });

  it('that does not exist is a fault with a remedy', () => {
    const path = join(folder, 'gone.yaml');
    expect(faultsOf(readConfig(path))).toEqual([noSuchFile(path)]);
  });
});
