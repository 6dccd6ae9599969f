import { at, isObject, type JsonObject, member, textAt } from '#shared/core/json.ts';
import { ApiConflictError, ApiInvalidError, ApiNotFoundError, AppError } from '#shared/errors.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import {
  MARK_DELETED,
  markNotCreated,
  NO_IDENTITY,
  WITH_CONTEXT,
  writtenByAnother,
} from './messages.ts';

/** An installation of Starfold, as the clusters that it writes name it. */
export interface Writer {
  /**
   * Identifies the installation. It stays the same if the state of the installation is lost. Otherwise the installation would
   * lock itself out.
   */
  readonly identity: string;
  /** The program, for people: `starfold start 0.5.0`. */
  readonly runsAs: string;
}

/** The installation for which a cluster is marked. */
export interface MarkedFor extends Writer {
  /** The time in the Lease (RFC 3339), or `''` if it has none. */
  readonly since: string;
}

/** The place of the mark. Every kube-apiserver has this namespace. */
export const WRITER_LEASE: ObjectRef = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  namespace: 'kube-system',
  name: 'starfold-writer',
};

const RUNS_AS = 'starfold.dev/runs-as';

/** The maximum length of `--identity`. */
const MAX_TEXT_CHARACTERS = 512;
/** Characters that control a terminal, or change the order in which text is shown. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** A text from a Lease, for people. Anyone who may write to the cluster may write any text into the Lease. */
function shown(text: string): string {
  const plain = text.slice(0, MAX_TEXT_CHARACTERS).replaceAll(STEERING, ' ').toWellFormed();
  return text.length > MAX_TEXT_CHARACTERS ? `${plain}…` : plain;
}

/** Reads for which installation a Lease marks its cluster. */
export function markedFor(lease: JsonObject): MarkedFor {
  return {
    identity: textAt(lease, 'spec', 'holderIdentity'),
    runsAs: textAt(lease, 'metadata', 'annotations', RUNS_AS),
    since: textAt(lease, 'spec', 'acquireTime'),
  };
}

/** The identity of an installation, for people. */
export function writerName({ identity }: Pick<Writer, 'identity'>): string {
  return identity === '' ? NO_IDENTITY : shown(identity);
}

/** An installation in one short line: its identity, its program and the time. */
export function writerText(holder: MarkedFor): string {
  const { runsAs, since } = holder;
  const known = [shown(runsAs), since === '' ? '' : `since ${shown(since)}`];
  const texts = known.filter((text) => text !== '');
  const name = writerName(holder);
  return texts.length === 0 ? name : `${name} (${texts.join(', ')})`;
}

/** Quotes a word of a command line for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** An installation that may take over a cluster. */
interface Taker extends Pick<Writer, 'identity'> {
  /** The context of the cluster in the user's kubeconfig. Absent if it is not known. */
  readonly context?: string;
  /** The file of the kubeconfig that has this context. Absent if the user did not name one. */
  readonly kubeconfig?: string;
}

/** The command with which an installation takes over a cluster. Without a context, the text says that the command needs one. */
export function takeoverCommand({ identity, context, kubeconfig }: Taker): string {
  const to = `--identity ${quoted(identity)}`;
  if (context === undefined) return `starfold takeover ${to}, ${WITH_CONTEXT}`;
  const file = kubeconfig === undefined ? '' : `--kubeconfig ${quoted(kubeconfig)} `;
  return `starfold takeover ${file}--context ${quoted(context)} ${to}`;
}

/** Another installation writes the cluster. Nothing is written there, and writes wait. */
export class WdsTakenError extends AppError {
  override readonly name = 'WdsTakenError';
  readonly code = 'wds-taken';
  readonly retryable = true;
  readonly holder: MarkedFor;
  /** @param cluster the name in messages: `WDS wds1` */
  constructor(cluster: string, holder: MarkedFor, self: Taker) {
    super(writtenByAnother(cluster, writerText(holder), takeoverCommand(self)));
    this.holder = holder;
  }
}

/**
 * Returns the error if a cluster's Lease marks it for another installation. Returns undefined if it marks it for this one, or
 * if there is no Lease.
 */
export function takenBy(
  lease: JsonObject | undefined,
  { cluster, self }: { readonly cluster: string; readonly self: Taker },
): WdsTakenError | undefined {
  if (lease === undefined) return undefined;
  const holder = markedFor(lease);
  return holder.identity === self.identity ? undefined : new WdsTakenError(cluster, holder, self);
}

/** The mark cannot be created. Nothing is written to a cluster without the mark. */
export class WriterMarkError extends AppError {
  override readonly name = 'WriterMarkError';
  readonly code = 'writer-mark';
  readonly retryable = true;
  constructor(cluster: string, reason: string, options?: ErrorOptions) {
    super(markNotCreated(cluster, WRITER_LEASE, reason), options);
  }
}

/** Kubernetes' MicroTime. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

function record(object: JsonObject | undefined, ...path: readonly string[]): JsonObject {
  const found = at(object, ...path);
  return isObject(found) ? found : {};
}

/**
 * Returns the Lease with another holder. It is never renewed and has no duration, because Starfold writes nothing as long as
 * nothing changes. An installation that is down for a week is still the writer.
 *
 * @param lease the current Lease; undefined if there is none
 * @param nowMs milliseconds since the epoch
 */
export function markedLease(lease: JsonObject | undefined, to: Writer, nowMs: number): JsonObject {
  const { namespace, name } = WRITER_LEASE;
  const transitions = member(record(lease, 'spec'), 'leaseTransitions');
  return {
    ...lease,
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...record(lease, 'metadata'),
      namespace,
      name,
      labels: { ...record(lease, 'metadata', 'labels'), 'app.kubernetes.io/name': 'starfold' },
      annotations: { ...record(lease, 'metadata', 'annotations'), [RUNS_AS]: to.runsAs },
    },
    spec: {
      holderIdentity: to.identity,
      acquireTime: microTime(nowMs),
      leaseTransitions:
        lease === undefined ? 0 : 1 + (typeof transitions === 'number' ? transitions : 0),
    },
  };
}

/** What the mark of a cluster needs. */
export interface WriterMarkDeps {
  /** The name of the cluster in messages: `WDS wds1`. */
  readonly cluster: string;
  readonly api: Pick<ObjectApi, 'get' | 'create'>;
  readonly self: Writer & Taker;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Called after each check of the mark, with the error if another installation is the writer, or undefined if this one is. */
  readonly onLook?: (taken: WdsTakenError | undefined) => void;
}

/** The mark of a cluster. */
export interface WriterMark {
  /**
   * Makes sure that this installation is the writer of the cluster. If no installation has marked the cluster, marks it. The
   * result is cached for {@link REMEMBERED_MS}.
   *
   * @throws WdsTakenError if another installation is the writer; WriterMarkError; other errors of the API server.
   */
  ensure(): Promise<void>;
}

/**
 * How long an installation assumes that it is the writer without a check. So after a takeover, both may write for this long.
 */
export const REMEMBERED_MS = 60_000;

/** How long an installation assumes that another one is the writer. It is short, because thousands of messages may wait. */
const TAKEN_MS = 5_000;

async function mark({ api, self, clock }: WriterMarkDeps): Promise<JsonObject | undefined> {
  try {
    return await api.create(WRITER_LEASE, markedLease(undefined, self, clock()));
  } catch (error) {
    // Another installation, or another process of this one, was faster. The API server has decided.
    if (error instanceof ApiConflictError) return api.get(WRITER_LEASE);
    throw error;
  }
}

/** Reads the Lease of the cluster, and creates it if it does not exist. */
async function lookAt(deps: WriterMarkDeps): Promise<JsonObject> {
  const { api, cluster } = deps;
  try {
    const lease = (await api.get(WRITER_LEASE)) ?? (await mark(deps));
    if (lease === undefined) throw new WriterMarkError(cluster, MARK_DELETED);
    return lease;
  } catch (error) {
    const isUnfit = error instanceof ApiNotFoundError || error instanceof ApiInvalidError;
    throw isUnfit ? new WriterMarkError(cluster, error.message, { cause: error }) : error;
  }
}

/** Creates the mark of a cluster, with an empty cache. */
export function createWriterMark(deps: WriterMarkDeps): WriterMark {
  const { clock, onLook } = deps;
  let known: { readonly untilMs: number; readonly taken: WdsTakenError | undefined } | undefined;
  let looking: Promise<WdsTakenError | undefined> | undefined;

  const look = async (): Promise<WdsTakenError | undefined> => {
    // The cached result is as old as the request.
    const askedMs = clock();
    const taken = takenBy(await lookAt(deps), deps);
    known = { taken, untilMs: askedMs + (taken === undefined ? REMEMBERED_MS : TAKEN_MS) };
    onLook?.(taken);
    return taken;
  };
  const current = async (): Promise<WdsTakenError | undefined> => {
    if (known !== undefined && clock() < known.untilMs) return known.taken;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  return {
    async ensure() {
      const taken = await current();
      if (taken !== undefined) throw taken;
    },
  };
}

/** The same API server, but before each write the mark is checked. */
export function markedApi(api: ObjectApi, { ensure }: WriterMark): ObjectApi {
  return {
    get: (ref, signal) => api.get(ref, signal),
    create: async (ref, object, signal) => {
      await ensure();
      return api.create(ref, object, signal);
    },
    replace: async (ref, object, signal) => {
      await ensure();
      return api.replace(ref, object, signal);
    },
    replaceStatus: async (ref, change, signal) => {
      await ensure();
      return api.replaceStatus(ref, change, signal);
    },
    patchLabels: async (ref, change, signal) => {
      await ensure();
      return api.patchLabels(ref, change, signal);
    },
    delete: async (ref, precondition, signal) => {
      await ensure();
      return api.delete(ref, precondition, signal);
    },
  };
}

/**
 * Connections that only write if the cluster has this installation's mark.
 *
 * @param connections returns the API server of a cluster, by its name
 * @param title the type of the clusters in messages: `WDS`
 */
export function markedConnections(
  connections: (name: string) => ObjectApi,
  { title, ...deps }: Pick<WriterMarkDeps, 'self' | 'clock'> & { readonly title: string },
): (name: string) => ObjectApi {
  const marked = new Map<string, ObjectApi>();
  return (name) => {
    const known = marked.get(name);
    if (known !== undefined) return known;
    const api = connections(name);
    const own = markedApi(api, createWriterMark({ ...deps, api, cluster: `${title} ${name}` }));
    marked.set(name, own);
    return own;
  };
}
