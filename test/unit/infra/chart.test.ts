import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { safeParse } from 'zod/mini';
import { configSchema } from '#functions/event-forwarder/program/config-schema.ts';
import packageJson from '#package.json' with { type: 'json' };
import { isDownsyncable } from '#shared/core/binding/excluded-resources.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import { kindPlural } from '#shared/core/schema/kind-plural.ts';
import { ALL_KINDS } from '#test/property/status/kinds/all.ts';
import { CHART, chartSchema, chartValues, chartValuesTable, sections } from './chart-values.ts';

const text = (file: string): string => readFileSync(file, 'utf8');
const { schema, schemaOf } = chartSchema(CHART);
const DOCKERFILE = text('infra/Dockerfile');

/** What the forwarder says of a configuration in which one field has this value, beside the order of such fields. */
function faultsOfNumber(path: readonly string[], value: JsonValue): readonly string[] {
  const nested = path.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value);
  const { error } = safeParse(configSchema, {
    source: { type: 'wds', name: 'wds1' },
    queue: { sqs: { url: 'https://sqs.eu-central-1.amazonaws.com/1/q' } },
    ...(nested as JsonObject),
  });
  return (error?.issues ?? [])
    .filter(({ code }) => code !== 'custom')
    .map(({ message }) => message);
}

/** The workload resources that the writer may write, as `RESOURCE[.GROUP]`. */
function writtenResources(): readonly string[] {
  const writer = parseAllDocuments(text('infra/rbac/writer.yaml')).map((one) => one.toJS());
  const role = writer.find(({ metadata }) => metadata.name === 'starfold-writer-workloads');
  return role.rules.flatMap(
    ({ apiGroups: [group], resources }: { apiGroups: string[]; resources: string[] }) =>
      resources
        .filter((resource) => !resource.includes('/'))
        .map((resource) => (group === '' ? resource : `${resource}.${group}`)),
  );
}

describe('the chart', () => {
  it('has the version of the project', () => {
    const chart = parse(text(`${CHART}/Chart.yaml`));
    expect([chart.version, chart.appVersion]).toEqual([packageJson.version, packageJson.version]);
  });

  it('explains every value in its README as in values.yaml', () => {
    expect(text(`${CHART}/README.md`)).toContain(chartValuesTable());
  });

  it.each(chartValues())('says in its schema what $path may be', ({ path }) => {
    const node = schemaOf(path);
    expect(at(node, 'type') ?? at(node, 'enum') ?? at(node, 'anyOf')).toBeDefined();
  });

  it.each([
    ['leaderElection', 'leaseDurationSeconds'],
    ['leaderElection', 'renewDeadlineSeconds'],
    ['leaderElection', 'retryPeriodSeconds'],
    ['kubernetes', 'qps'],
    ['kubernetes', 'burst'],
    ['batchMilliseconds'],
    ['heartbeatSeconds'],
    ['resyncHours'],
    ['shutdownSeconds'],
    ['server', 'port'],
  ])('takes no number for %s %s that the forwarder rejects', (...path) => {
    const node = schemaOf(path.join('.'));
    const bounds = [at(node, 'minimum'), at(node, 'maximum')];
    expect(bounds).toEqual([expect.any(Number), expect.any(Number)]);
    expect(bounds.flatMap((bound) => faultsOfNumber(path, bound ?? null))).toEqual([]);
    expect(faultsOfNumber(path, -1)).not.toEqual([]);
  });

  it('rejects unknown values in every section', () => {
    const all = sections(schema);
    expect(all.length).toBeGreaterThan(20);
    const open = all.filter((section) => at(section, 'additionalProperties') !== false);
    // An environment variable is Kubernetes' to check.
    expect(open).toEqual([]);
  });

  it('lets a forwarder see every kind that the writer may write', () => {
    const { resources } = parse(text(`${CHART}/values.yaml`)).rbac;
    expect([...resources].sort()).toEqual([...writtenResources(), 'namespaces'].sort());
  });

  it('lets the writer write no kind that is never sent to a WEC', () => {
    const [group, resource] = ['apiregistration.k8s.io', 'apiservices'];
    expect(isDownsyncable(group, resource)).toBe(false);
    const kept = writtenResources().filter((name) => {
      const [plural = '', ...rest] = name.split('.');
      return !isDownsyncable(rest.join('.'), plural);
    });
    expect(kept).toEqual([]);
  });

  it('names every kind with a rule, in the version of its random sets', () => {
    const named = new Set([...writtenResources(), 'apiservices.apiregistration.k8s.io']);
    const ruled = ALL_KINDS.map(([, { apiVersion, kind }]) => {
      const group = apiGroup(apiVersion);
      const resource = kindPlural(group, kind);
      return group === '' ? resource : `${resource}.${group}`;
    });
    expect([...new Set(ruled)].filter((resource) => !named.has(resource))).toEqual([]);
  });

  it('has a documented set of values for each kind of installation', () => {
    const [, listed = ''] = /event-forwarder\/ci` \(([^)]*)\)/.exec(text('docs/install.md')) ?? [];
    const sets = readdirSync(`${CHART}/ci`).map((file) => file.replace(/-values\.yaml$/, ''));
    // Every value that is off by default, and as little as can be: for the tests.
    expect([...listed.split(/,\s+/), 'everything', 'single'].sort()).toEqual(sets.sort());
  });
});

describe('the image', () => {
  it("of the chart is nobody's, so that nobody else can publish it", () => {
    expect(parse(text(`${CHART}/values.yaml`)).image.repository).toBe('');
    const files = readdirSync('infra/manifests').filter((file) => file.endsWith('.yaml'));
    const images = files.flatMap((file) =>
      [...text(`infra/manifests/${file}`).matchAll(/ image: "(.*)"/g)].map(([, image]) => image),
    );
    expect(images).toHaveLength(6);
    for (const image of images) expect(image).toMatch(/^registry\.example\.com\//);
  });

  it('may be built from a base whose digest is given, as Dockerfile and documentation say', () => {
    const pinned = `--build-arg BASE=node:${packageJson.devDependencies.node}-bookworm-slim@sha256:`;
    expect(DOCKERFILE).toContain(pinned);
    expect(text('docs/install.md')).toContain(pinned);
  });

  it('is built with the Node that is developed with', () => {
    expect(DOCKERFILE).toContain(`node:${packageJson.devDependencies.node}-`);
    const versions = [...DOCKERFILE.matchAll(/^ARG VERSION=(.*)$/gm)].map(([, version]) => version);
    expect([...new Set(versions)]).toEqual([packageJson.version]);
  });

  it('runs as a user by number, and is stopped by SIGTERM', () => {
    expect(DOCKERFILE).toMatch(/^USER 65532:65532$/m);
    expect(DOCKERFILE).toMatch(/^STOPSIGNAL SIGTERM$/m);
  });

  it('has no base but the pinned one, by its name alone', () => {
    const bases = [...DOCKERFILE.matchAll(/^(?:ARG BASE=|FROM )(\S+)/gm)].map(([, base]) => base);
    expect(bases).toEqual([
      `node:${packageJson.devDependencies.node}-bookworm-slim`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Docker.
      '${BASE}',
      'root',
      'scratch',
      'root',
      'scratch',
    ]);
  });
});
