import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BUILT_IN_RESOURCES } from '#local/simulated-cluster/built-in-resources.ts';
import { decodeProtobuf } from '#local/simulated-cluster/protobuf.ts';
import kinds from '#local/simulated-cluster/protobuf-kinds.json' with { type: 'json' };
import { startSimulatedCluster } from '#local/simulated-cluster/simulated-cluster.ts';
import { loadKindModels } from '#shared/adapters/kubernetes/kind-models.ts';
import { PROTOBUF_TYPE } from '#shared/api/review-protobuf.ts';
import { at, type JsonObject, parseJson, stringifyJson } from '#shared/core/json.ts';
import { bodyOf, message, numbers } from './protobuf-body.ts';

/** What kubectl v1.36.3 sent for each command, and what it printed with `--dry-run=client -o json`. */
const recorded: readonly { command: string; body: string; json: JsonObject }[] = JSON.parse(
  readFileSync('test/fixtures/kubectl-protobuf.json', 'utf8'),
);

const sent = recorded.map(({ command, body, json }) => [command, body, json] as const);

it.each(sent)('reads what kubectl %s sends', (_command, body, json) => {
  expect(decodeProtobuf(Buffer.from(body, 'base64'))).toEqual(json);
});

it('reads times, raw JSON and integers that a double cannot hold', () => {
  const spec = message({ 4: numbers([1, 1_767_225_600n], [2, 1000]) });
  expect(decodeProtobuf(bodyOf('coordination.k8s.io/v1', 'Lease', message({ 2: spec })))).toEqual({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    spec: { renewTime: '2026-01-01T00:00:00.000001Z' },
  });
  const entry = message({ 1: 'kubectl', 4: numbers([1, 0]), 7: message({ 1: '{"f:data":{}}' }) });
  const metadata = Buffer.concat([message({ 17: entry }), numbers([7, 2n ** 60n])]);
  expect(decodeProtobuf(bodyOf('v1', 'ConfigMap', message({ 1: metadata })))).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      generation: 2n ** 60n,
      managedFields: [
        { manager: 'kubectl', time: '1970-01-01T00:00:00Z', fieldsV1: { 'f:data': {} } },
      ],
    },
  });
});

it('reads the options of a deletion, which any group may have', () => {
  const raw = Buffer.concat([numbers([1, 0]), message({ 4: 'Background' })]);
  expect(decodeProtobuf(bodyOf('apps/v1', 'DeleteOptions', raw))).toMatchObject({
    gracePeriodSeconds: 0,
    propagationPolicy: 'Background',
  });
});

it('reads an entry of a map without a key or a value as the zeros of their types', () => {
  const nothing = new Uint8Array();
  const data = Buffer.concat([
    message({ 2: message({ 2: 'b' }) }),
    message({ 2: message({ 1: 'a' }) }),
  ]);
  expect(decodeProtobuf(bodyOf('v1', 'ConfigMap', data))).toMatchObject({
    data: { '': 'b', a: '' },
  });
  expect(decodeProtobuf(bodyOf('v1', 'Secret', message({ 2: nothing })))).toMatchObject({
    data: { '': '' },
  });
  const quota = message({ 2: message({ 1: nothing }) });
  expect(decodeProtobuf(bodyOf('v1', 'ResourceQuota', quota))).toMatchObject({
    spec: { hard: { '': '0' } },
  });
});

it('leaves out fields that it does not know', () => {
  const raw = message({ 2: message({ 1: 'a', 2: 'b' }), 99: 'new' });
  expect(decodeProtobuf(bodyOf('v1', 'ConfigMap', raw))).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data: { a: 'b' },
  });
});

it('knows every kind that a simulated cluster serves, except custom resources', () => {
  const missing = BUILT_IN_RESOURCES.filter(({ group, version, kind }) => {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return decodeProtobuf(bodyOf(apiVersion, kind, new Uint8Array())) === undefined;
  });
  expect(missing.map(({ kind }) => kind)).toEqual([
    'CustomResourceDefinition',
    'Binding',
    'BindingPolicy',
    'StatusCollector',
    'CombinedStatus',
  ]);
});

it('has the fields that the Kubernetes client has', async () => {
  const models = await loadKindModels();
  type Fields = Readonly<Record<string, readonly (string | number)[]>>;
  const messages: Readonly<Record<string, Fields>> = kinds as unknown as Record<string, Fields>;
  const namesOf = (fields: Fields): string[] =>
    Object.values(fields).flatMap(([name, type]) =>
      name === '' ? namesOf(messages[String(type)] ?? {}) : [String(name)],
    );
  const compared = Object.entries(messages).flatMap(([name, fields]) => {
    const [, group = '', version = '', kind = ''] = /^(\w)[^/]*\/v(\d)\.(\w+)$/.exec(name) ?? [];
    const long = `${group.toUpperCase()}${name.slice(1, name.indexOf('/'))}V${version}${kind}`;
    const model = models[`V${version}${kind}`] ?? models[long];
    return model === undefined ? [] : [{ name, fields: new Set(namesOf(fields)), model }];
  });
  expect(compared.length).toBeGreaterThan(300);
  for (const { name, fields, model } of compared) {
    const more = Object.keys(model).filter((key) => !(fields.has(key) || /^(apiV|k)/.test(key)));
    expect([name, more, [...fields].filter((key) => model[key] === undefined)]).toEqual([
      name,
      [],
      [],
    ]);
  }
});

const namespaceBody = Buffer.from(recorded[0]?.body ?? '', 'base64');

it.each<{ what: string; body: Buffer; code: number; words: string }>([
  { what: 'a namespace', body: namespaceBody, code: 201, words: '' },
  {
    what: 'no protocol buffers',
    body: Buffer.from('{}'),
    code: 400,
    words: 'must be of type protobuf',
  },
  {
    what: 'a body that is cut off',
    body: namespaceBody.subarray(0, 30),
    code: 400,
    words: 'must be of type protobuf',
  },
  {
    what: 'a field of another type',
    body: bodyOf('v1', 'Namespace', numbers([1, 1])),
    code: 400,
    words: 'field 1 has wire type 0',
  },
  {
    what: 'a time that is no date',
    body: bodyOf('v1', 'Namespace', message({ 1: message({ 8: numbers([1, 2n ** 60n]) }) })),
    code: 400,
    words: 'Invalid time value',
  },
  {
    what: 'too many fields, which are small',
    body: bodyOf('rbac.authorization.k8s.io/v1', 'Role', Buffer.alloc(3_000_000, '\u0012\0')),
    code: 413,
    words:
      'Request entity too large: limit is 200000 fields in protocol buffers; split the object into smaller ones',
  },
  {
    what: 'characters that are longer in JSON',
    body: bodyOf('v1', 'ConfigMap', message({ 2: message({ 2: '\u0001'.repeat(2 ** 19) }) })),
    code: 413,
    words: 'limit is 3145728 bytes, also for the JSON of protocol buffers; split the object',
  },
  {
    what: 'more bytes than an API server reads',
    body: Buffer.alloc(3 * 2 ** 20 + 1),
    code: 413,
    words: 'limit is 3145728 bytes; split the object into smaller ones',
  },
  {
    what: 'a kind that is only read from JSON',
    body: bodyOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition', new Uint8Array()),
    code: 415,
    words: 'write it to a file and apply that',
  },
])('answers a request with $what', async ({ body, code, words }) => {
  const cluster = await startSimulatedCluster({ name: 'wds1' });
  try {
    const answer = await fetch(`${cluster.url}/api/v1/namespaces`, {
      method: 'POST',
      headers: { 'content-type': PROTOBUF_TYPE },
      body: new Uint8Array(body),
    });
    const status = parseJson(await answer.text());
    expect(answer.status, stringifyJson(status)).toBe(code);
    expect(at(status, 'message') ?? '').toContain(words);
  } finally {
    await cluster.close();
  }
});
