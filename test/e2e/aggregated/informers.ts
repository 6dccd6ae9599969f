/** Informers of two clients of Kubernetes, and `starfold get -w`. What they hold is compared with what the API lists. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
} from '@kubernetes/client-node';
import {
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
  textAt,
} from '#shared/core/json.ts';
import { assetFolder } from '#test/e2e/assets.ts';
import { end } from '#test/e2e/stack-child.ts';

const GROUP = 'status.starfold.dev';
const VERSION = 'v1alpha1';
/** client-node leaves to its caller when to try again. */
const RETRY_MS = 200;
const COMMAND = fileURLToPath(new URL('../../../local/cli/starfold.ts', import.meta.url));

/** Objects by namespace and name, without what differs from one answer to the next. */
export type Held = Readonly<Record<string, JsonObject>>;

/** An informer of some resources, over all namespaces. */
export interface Informers {
  /** What they hold, by resource; `undefined` for one that has not synced. */
  held(): Promise<Readonly<Record<string, Held | undefined>>>;
  stop(): Promise<void>;
}

/** An object without its revision, which is when it was read, and the heartbeat of its WEC, which is no change. */
export function lasting(object: JsonObject): JsonObject {
  const { lastContact: _, metadata, ...rest } = object;
  const { resourceVersion: __, managedFields: ___, ...kept } = isObject(metadata) ? metadata : {};
  return { ...rest, metadata: kept };
}

/** Objects of a list by namespace and name. */
export function byName(items: readonly JsonObject[]): Held {
  return Object.fromEntries(
    items.map((item) => {
      const { namespace = '', name = '' } = item['metadata'] as Record<string, string>;
      return [`${namespace}/${name}`, lasting(item)];
    }),
  );
}

/** The dynamic informers of client-go (infra/local/kube-assets/informer). */
export async function startGoInformers(
  kubeconfig: string,
  resources: readonly string[],
): Promise<Informers> {
  const folder = await assetFolder({
    script: 'build-informer.sh',
    without: 'an informer of client-go: set INFORMER_ASSETS to a folder with it',
  });
  const args = [kubeconfig, `${GROUP}/${VERSION}`, ...resources];
  const child: ChildProcess = spawn(join(folder, 'informer'), args, {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new TypeError('its output is a pipe');
  const lines = createInterface({ input: child.stdout });
  const heldOf = (said: JsonValue | undefined): Held | undefined => {
    if (member(said, 'hasSynced') !== true) return undefined;
    const objects = member(said, 'objects');
    return byName(isObject(objects) ? Object.values(objects).filter(isObject) : []);
  };
  return {
    held: async () => {
      const answered = once(lines, 'line');
      child.stdin?.write('\n');
      const [line] = await answered;
      const said = parseJson(String(line));
      return Object.fromEntries(
        resources.map((resource) => [resource, heldOf(member(said, resource))]),
      );
    },
    stop: () => end(child, 'SIGTERM'),
  };
}

/** The informers of @kubernetes/client-node, started again after each error. */
export async function startNodeInformers(
  kubeconfig: string,
  resources: readonly string[],
): Promise<Informers> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = config.makeApiClient(CustomObjectsApi);
  let isStopped = false;
  const informers = resources.map((plural) => {
    const informer = makeInformer<KubernetesObject>(
      config,
      `/apis/${GROUP}/${VERSION}/${plural}`,
      () => api.listClusterCustomObject({ group: GROUP, version: VERSION, plural }),
    );
    const start = (): void => {
      if (!isStopped) informer.start().catch(again);
    };
    const again = (): void => void setTimeout(start, RETRY_MS);
    let hasSynced = false;
    informer.on('connect', () => {
      hasSynced = true;
    });
    informer.on('error', again);
    start();
    const held = (): Held | undefined =>
      // What an API server answers is JSON.
      hasSynced ? byName(informer.list() as unknown as readonly JsonObject[]) : undefined;
    return { plural, held, informer };
  });
  return {
    held: async () => Object.fromEntries(informers.map(({ plural, held }) => [plural, held()])),
    stop: async () => {
      isStopped = true;
      await Promise.all(informers.map(({ informer }) => informer.stop()));
    },
  };
}

/** The objects that a program prints, one after the other. Each ends with the only brace at the beginning of a line. */
async function* printedBy({ stdout }: { readonly stdout: Readable }): AsyncGenerator<JsonValue> {
  let lines: string[] = [];
  for await (const line of createInterface({ input: stdout })) {
    lines.push(line);
    if (line !== '}') continue;
    yield parseJson(lines.join('\n'));
    lines = [];
  }
}

/** Changes what is held by what a watch says of one object. */
function put(objects: Map<string, JsonObject>, event: JsonValue): void {
  const object = member(event, 'object');
  for (const [name, kept] of Object.entries(byName(isObject(object) ? [object] : [])))
    if (textAt(event, 'type') === 'DELETED') objects.delete(name);
    else objects.set(name, kept);
}

/** What one `starfold get -w` has printed so far, as an informer would hold it. */
function startGet(kubeconfig: string, resource: string) {
  const watch = ['-A', '-w', '--output-watch-events', '-o', 'json', '--kubeconfig', kubeconfig];
  const child = spawn(process.execPath, [COMMAND, 'get', resource, ...watch], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const objects = new Map<string, JsonObject>();
  let hasSynced = false;
  const reading = (async () => {
    for await (const event of printedBy(child)) {
      hasSynced = true;
      put(objects, event);
    }
  })();
  return {
    held: (): Held | undefined => {
      if (child.exitCode !== null) throw new Error(`get ${resource} -w ended: ${child.exitCode}`);
      return hasSynced ? Object.fromEntries(objects) : undefined;
    },
    stop: async () => {
      await end(child, 'SIGTERM');
      await reading;
    },
  };
}

/** `starfold get -w` of each resource, which is to go on by itself, whatever happens to the server. */
export function startGetWatches(kubeconfig: string, resources: readonly string[]): Informers {
  const watches = resources.map((resource) => ({ resource, ...startGet(kubeconfig, resource) }));
  return {
    held: async () => Object.fromEntries(watches.map(({ resource, held }) => [resource, held()])),
    stop: async () => {
      await Promise.all(watches.map(({ stop }) => stop()));
    },
  };
}
