import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { at, isArray, type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { tokenOf } from '#test/fakes/token-file.ts';
import { type Account, kubeconfigOfAccount } from './accounts.ts';
import { texts } from './chart-objects.ts';
import type { Cluster } from './clusters.ts';
import { onlyOf } from './starfold-chart-objects.ts';

/** What the process of a pod is started with, where folders stand for the mounts. */
export interface Pod {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder of the volume claim. */
  readonly stateFolder: string;
  /** The certificate of the intake and of the API, which is its own authority (PEM). */
  readonly certFile: string;
  /** What the kubelet asks, by the name of the probe: `readinessProbe`. */
  probe(name: string): { readonly path: string; readonly port: string; readonly scheme: string };
}

/** The account of the pod, and the sources whose tokens are in the Secret. */
export interface PodOptions {
  readonly folder: string;
  readonly wds: Cluster;
  readonly account: Account;
  readonly sources: readonly string[];
}

function list(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonObject[] {
  const found = at(value, ...path);
  return isArray(found) ? (found as JsonObject[]) : [];
}

/** The content of the Secrets and of the projected volume, by `<volume>/<path>`. */
async function contents({ wds, account, sources }: PodOptions) {
  const { cert, key } = selfSigned();
  const { users } = parse(await kubeconfigOfAccount(wds, account, 'pod'));
  return {
    'account/token': String(users[0].user.token),
    'account/ca.crt': wds.caPem,
    'tokens/tokens.yaml': sources.map((source) => `"${source}": ${tokenOf(source)}\n`).join(''),
    'tls/tls.crt': cert,
    'tls/tls.key': key,
  } as const;
}

/** The files of a volume, by their paths in it, as the chart names them. */
function pathsIn(volume: JsonObject): readonly string[] {
  const items = [
    ...list(volume, 'secret', 'items'),
    ...list(volume, 'projected', 'sources').flatMap((source) => [
      ...list(source, 'configMap', 'items'),
      ...[at(source, 'serviceAccountToken') ?? []].flat(),
    ]),
  ];
  return items.map((item) => textAt(item, 'path'));
}

/** The mounts of a container, as folders below a folder. */
class Mounts {
  readonly #folder: string;
  readonly #paths: ReadonlyMap<string, string>;

  constructor(container: JsonObject | undefined, folder: string) {
    this.#folder = folder;
    this.#paths = new Map(
      list(container, 'volumeMounts').map((mount) => [
        textAt(mount, 'name'),
        textAt(mount, 'mountPath'),
      ]),
    );
  }

  /** @throws RangeError if the container does not mount the volume. */
  folderOf(volume: string): string {
    const path = this.#paths.get(volume);
    if (path === undefined) throw new RangeError(`the volume ${volume} is not mounted`);
    return join(this.#folder, path);
  }

  /** A text whose paths of mounts are those of the folders. */
  translate(text: string): string {
    return [...this.#paths.values()].reduce(
      (done, path) => done.replaceAll(`${path}/`, `${join(this.#folder, path)}/`),
      text,
    );
  }
}

async function write(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content, { mode: 0o440 });
}

/** The files of a volume with their contents. */
function filesOf(
  volume: JsonObject,
  given: Readonly<Record<string, string>>,
  config: JsonObject,
): readonly (readonly [path: string, content: string])[] {
  if (at(volume, 'configMap') !== undefined)
    return Object.entries(at(config, 'data') ?? {}).map(([path, text]) => [path, String(text)]);
  return pathsIn(volume).map((path) => {
    const name = `${textAt(volume, 'name')}/${path}`;
    const content = given[name];
    if (content === undefined) throw new RangeError(`nothing is known of ${name}`);
    return [path, content];
  });
}

/**
 * Makes the mounts of the chart's pod below a folder. The pod has exactly the arguments, the environment and the files that the
 * chart gives it, but for three things that are not the chart's: the folder, the address of the API server, and the ports.
 */
export async function makePod(objects: readonly JsonObject[], options: PodOptions): Promise<Pod> {
  const { folder, wds } = options;
  const spec = at(onlyOf(objects, 'StatefulSet'), 'spec', 'template', 'spec');
  const [container] = list(spec, 'containers');
  const mounts = new Mounts(container, folder);
  const given = await contents(options);
  for (const volume of list(spec, 'volumes'))
    for (const [path, text] of filesOf(volume, given, onlyOf(objects, 'ConfigMap'))) {
      const content = mounts.translate(text).replace('https://kubernetes.default.svc', wds.server);
      await write(join(mounts.folderOf(textAt(volume, 'name')), path), content);
    }
  const stateFolder = mounts.folderOf('state');
  await mkdir(stateFolder, { recursive: true });
  const env = list(container, 'env').map(({ name, value }) => [String(name), String(value)]);
  return {
    args: texts(at(container, 'args')).map((word) =>
      mounts.translate(word).replace(/^0\.0\.0\.0:\d+$/, '0.0.0.0:0'),
    ),
    env: Object.fromEntries(env),
    stateFolder,
    certFile: join(mounts.folderOf('tls'), 'tls.crt'),
    probe: (name) => ({
      path: textAt(container, name, 'httpGet', 'path'),
      port: textAt(container, name, 'httpGet', 'port'),
      scheme: textAt(container, name, 'httpGet', 'scheme'),
    }),
  };
}
