import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prettyYaml } from '#local/cli/terminal/print.ts';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { at, isObject, type JsonObject, type JsonValue, parseJson } from '#shared/core/json.ts';
import { YAML_WORDS } from '#test/property/cli/yaml-words.ts';
import { clusters } from './clusters.ts';

let cluster: SimulatedCluster;
let folder: string;

beforeAll(async () => {
  cluster = await startSimulatedCluster({ name: 'wds1' });
  folder = await mkdtemp(join(tmpdir(), 'starfold-kubectl-'));
  await writeFile(join(folder, 'kubeconfig'), cluster.kubeconfig());
  await writeFile(join(folder, 'one.bin'), Buffer.from([0xff, 0x00, 0x01]));
});

afterAll(async () => {
  await cluster.close();
  await rm(folder, { recursive: true, force: true });
});

async function kubectl(...args: readonly string[]): Promise<string> {
  const options = ['--kubeconfig', join(folder, 'kubeconfig')];
  const run = promisify(execFile)(clusters().kubectlPath, [...options, ...args], { cwd: folder });
  return (await run).stdout;
}

/** Without the status and what the API server adds to the metadata. */
function content(object: JsonValue): JsonObject {
  if (!isObject(object)) throw new Error('kubectl printed no object');
  const { status: _, metadata, ...rest } = object;
  return { ...rest, name: at(metadata, 'name') ?? null };
}

const recorded: readonly { command: string }[] = JSON.parse(
  await readFile('test/fixtures/kubectl-protobuf.json', 'utf8'),
);

it.each(recorded)('stores what kubectl $command sends', async ({ command }) => {
  const args = [...command.split(' '), '-o', 'json'];
  const wanted = parseJson(await kubectl(...args, '--dry-run=client'));
  expect(content(parseJson(await kubectl(...args)))).toEqual(content(wanted));
});

it('reads what Starfold prints as YAML as it was', async () => {
  const words = Object.fromEntries(YAML_WORDS.map((word, index) => [`word${index}`, word]));
  const names = Object.fromEntries(YAML_WORDS.map((word) => [word, 'x']));
  for (const data of [words, names]) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'words' }, data };
    await writeFile(join(folder, 'words.yaml'), prettyYaml(object));
    const options = ['--dry-run=client', '--validate=false', '-o', 'json', '-f', 'words.yaml'];
    expect(at(parseJson(await kubectl('create', ...options)), 'data')).toEqual(data);
  }
});

it('applies a CustomResourceDefinition together with its objects, and explains it', async () => {
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: { size: { type: integer, description: How large it is } }
`;
  const widget = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: { name: first }\n';
  await writeFile(join(folder, 'crd.yaml'), definition);
  await writeFile(join(folder, 'both.yaml'), `${definition}---\n${widget}spec: { size: 3 }\n`);
  // Whatever the server, kubectl looks up the kinds of a file before it applies the file.
  await expect(kubectl('apply', '-f', 'both.yaml')).rejects.toThrow('ensure CRDs are installed');
  await kubectl('apply', '-f', 'crd.yaml');
  await kubectl('apply', '-f', 'both.yaml');
  const stored = parseJson(await kubectl('get', 'widgets.example.com', 'first', '-o', 'json'));
  expect(at(stored, 'spec')).toEqual({ size: 3 });
  expect(await kubectl('explain', 'widgets.example.com.spec.size')).toContain('How large it is');
  expect(await kubectl('explain', 'deployments.spec.replicas')).toContain('integer');
});
