import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type Protection, startStatusServer } from '#local/api/status-server.ts';
import type { Door, DoorRequest } from '#local/cli/door/door.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { type JsonObject, parseJson } from '#shared/core/json.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import {
  type Deed,
  OBJECTS,
  SourceWorld,
  WECS,
} from '#test/property/status-source/source-world.ts';
import { ALICE, type AskedApi } from '#test/unit/api/ask.ts';

/** A folder, and what is to be closed before it is removed. */
export class Place implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'starfold-door-'));
  readonly #closing: (() => unknown)[] = [];

  file(name: string, text?: string): string {
    const path = join(this.folder, name);
    if (text !== undefined) writeFileSync(path, text);
    return path;
  }

  /** Calls a function at the end. */
  later(close: () => unknown): void {
    this.#closing.push(close);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The path of a kubeconfig for one server. */
export function kubeconfigFor(
  place: Place,
  server: string,
  { user = {}, cluster = {} }: { readonly user?: object; readonly cluster?: object } = {},
): string {
  const text = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'api', cluster: { server, ...cluster } }],
    users: [{ name: 'me', user }],
    contexts: [{ name: 'api', context: { cluster: 'api', user: 'me' } }],
    'current-context': 'api',
  });
  return place.file('api-kubeconfig', text);
}

/** Serves an API to this machine. */
export async function serve(
  place: Place,
  { api }: Pick<AskedApi, 'api'>,
  protection: Protection = { type: 'own-machine', user: ALICE },
) {
  const onError = (): void => undefined;
  const server = await startStatusServer({ host: '127.0.0.1', port: 0, api, protection, onError });
  place.later(() => server.stop());
  return server;
}

/** A state file in which every WEC has reported every object. It stays open for writing. */
export async function stateFile(place: Place, wdses: readonly string[] = ['wds1']) {
  const file = place.file('state.sqlite');
  const database = openSqliteDatabase(file);
  place.later(() => database.close());
  const store = createSqliteItemStore(database);
  const version = { epoch: 1, sequence: 1 };
  await store.put(
    wdses.map((name) => ({ item: heartbeatItem({ type: 'wds', name }, version, Date.now()) })),
  );
  const world = new SourceWorld(undefined, store);
  const objects = OBJECTS.map((_object, index) => index);
  const wecs = WECS.map((_wec, index) => index);
  const applied = objects.map((object): Deed => ({ type: 'apply', object, tier: 'gold' }));
  await world.play([
    ...applied,
    { type: 'bind', binding: 0, objects, wecs },
    { type: 'report', object: 0, wec: 1, ready: 2 },
    { type: 'settle' },
  ]);
  return { file, world, database };
}

/** A whole answer. */
export async function told(door: Door, path: string, more: Partial<DoorRequest> = {}) {
  const { code, headers, body } = await door.ask({ method: 'GET', path, ...more });
  let text = '';
  for await (const piece of body) text += piece;
  return { code, headers, body: parseJson(text) as JsonObject };
}
