import { at, isObject, type JsonObject, member, textAt } from '#shared/core/json.ts';
import { ApiConflictError, ApiInvalidError, ApiNotFoundError, AppError } from '#shared/errors.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';

/** An installation of Starfold, as it is named in the clusters that it writes. */
export interface Writer {
  /** What it is known by. It stays the same when its state is lost: else it would lock itself out. */
  readonly identity: string;
  /** What it runs as, for people: `starfold start 0.5.0`. */
  readonly runsAs: string;
}

/** The installation that a cluster is marked for. */
export interface MarkedFor extends Writer {
  /** Since when, as the Lease has it (RFC 3339); `''` where it does not say. */
  readonly since: string;
}

/** Where the mark stands: every kube-apiserver has this namespace. */
export const WRITER_LEASE: ObjectRef = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  namespace: 'kube-system',
  name: 'starfold-writer',
};

/** The mark in the words of messages. */
const WRITER_LEASE_TITLE = `Lease ${WRITER_LEASE.namespace}/${WRITER_LEASE.name}`;

const RUNS_AS = 'starfold.dev/runs-as';

/** As long as `--identity` may be. */
const MAX_TEXT_CHARACTERS = 512;
/** What steers a terminal, or shows text in another order than it has. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** What a Lease says, for people: whoever writes the cluster may write anything into it. */
function shown(text: string): string {
  const plain = text.slice(0, MAX_TEXT_CHARACTERS).replaceAll(STEERING, ' ').toWellFormed();
  return text.length > MAX_TEXT_CHARACTERS ? `${plain}…` : plain;
}

/** Whom a Lease marks its cluster for. */
export function markedFor(lease: JsonObject): MarkedFor {
  return {
    identity: textAt(lease, 'spec', 'holderIdentity'),
    runsAs: textAt(lease, 'metadata', 'annotations', RUNS_AS),
    since: textAt(lease, 'spec', 'acquireTime'),
  };
}

/** What an installation is known by, for people. */
export function writerName({ identity }: Pick<Writer, 'identity'>): string {
  return identity === '' ? 'somebody without a name' : shown(identity);
}

/** An installation in one short line: what it is known by, what it runs as and since when. */
export function writerText(holder: MarkedFor): string {
  const { runsAs, since } = holder;
  const known = [shown(runsAs), since === '' ? '' : `since ${shown(since)}`];
  const said = known.filter((text) => text !== '');
  const name = writerName(holder);
  return said.length === 0 ? name : `${name} (${said.join(', ')})`;
}

/** A word of a command line, quoted for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command by which an installation takes a cluster over. */
export function takeoverCommand({ identity }: Pick<Writer, 'identity'>): string {
  return `starfold takeover --context CONTEXT --identity ${quoted(identity)}`;
}

/** Another installation writes the cluster. Nothing is written there, and what is to be written waits. */
export class WdsTakenError extends AppError {
  override readonly name = 'WdsTakenError';
  readonly code = 'wds-taken';
  readonly retryable = true;
  readonly holder: MarkedFor;
  /** @param cluster as in `WDS wds1` */
  constructor(cluster: string, holder: MarkedFor, self: Pick<Writer, 'identity'>) {
    super(
      `${cluster} is written by another installation of Starfold: ${writerText(holder)}. This one writes nothing there: end one of the two, or take over with ${takeoverCommand(self)}`,
    );
    this.holder = holder;
  }
}

/** Which other installation a cluster's Lease marks it for; `undefined`: for this one, or there is no Lease. */
export function takenBy(
  lease: JsonObject | undefined,
  { cluster, self }: { readonly cluster: string; readonly self: Writer },
): WdsTakenError | undefined {
  if (lease === undefined) return undefined;
  const holder = markedFor(lease);
  return holder.identity === self.identity ? undefined : new WdsTakenError(cluster, holder, self);
}

/** The mark cannot be made. Nothing is written to a cluster that does not bear it. */
export class WriterMarkError extends AppError {
  override readonly name = 'WriterMarkError';
  readonly code = 'writer-mark';
  readonly retryable = true;
  constructor(cluster: string, reason: string, options?: ErrorOptions) {
    super(
      `${cluster}: the ${WRITER_LEASE_TITLE}, which says who writes there, cannot be made: ${reason}: make the namespace ${WRITER_LEASE.namespace}, and have the API server serve leases.coordination.k8s.io/v1 there`,
      options,
    );
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
 * The Lease, with another holder. It is never renewed and has no duration: Starfold writes nothing while nothing changes,
 * and an installation that is down for a week is still the writer.
 *
 * @param lease as it stands; absent: there is none
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

/** What a cluster's mark is kept with. */
export interface WriterMarkDeps {
  /** The cluster in the words of messages: `WDS wds1`. */
  readonly cluster: string;
  readonly api: Pick<ObjectApi, 'get' | 'create'>;
  readonly self: Writer;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Told each time when it was looked whom the cluster is marked for: who else it is, `undefined`: this installation. */
  readonly onLook?: (taken: WdsTakenError | undefined) => void;
}

/** The mark of a cluster. */
export interface WriterMark {
  /**
   * Makes sure that this installation is the one that writes the cluster: what was found is remembered for
   * {@link REMEMBERED_MS}, and marks the cluster where nobody has.
   *
   * @throws WdsTakenError when another one is; WriterMarkError; what the API server's answers are otherwise.
   */
  ensure(): Promise<void>;
}

/** How long an installation takes itself for the writer without looking: after a takeover both may write for so long. */
export const REMEMBERED_MS = 60_000;

/** How long it takes another one for the writer: thousands of messages may wait. */
const TAKEN_MS = 5_000;

async function mark({ api, self, clock }: WriterMarkDeps): Promise<JsonObject | undefined> {
  try {
    return await api.create(WRITER_LEASE, markedLease(undefined, self, clock()));
  } catch (error) {
    // Another installation, or another process of this one, was faster: the API server has decided.
    if (error instanceof ApiConflictError) return api.get(WRITER_LEASE);
    throw error;
  }
}

/** The Lease of the cluster: it is marked now at the latest. */
async function lookAt(deps: WriterMarkDeps): Promise<JsonObject> {
  const { api, cluster } = deps;
  try {
    const lease = (await api.get(WRITER_LEASE)) ?? (await mark(deps));
    if (lease === undefined) throw new WriterMarkError(cluster, 'it comes and goes');
    return lease;
  } catch (error) {
    const isUnfit = error instanceof ApiNotFoundError || error instanceof ApiInvalidError;
    throw isUnfit ? new WriterMarkError(cluster, error.message, { cause: error }) : error;
  }
}

/** The mark of a cluster, of which nothing is known yet. */
export function createWriterMark(deps: WriterMarkDeps): WriterMark {
  const { clock, onLook } = deps;
  let known: { readonly untilMs: number; readonly taken: WdsTakenError | undefined } | undefined;
  let looking: Promise<WdsTakenError | undefined> | undefined;

  const look = async (): Promise<WdsTakenError | undefined> => {
    // What is remembered is as old as the question.
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

/** The same API server; before anything is written there the mark is made sure of. */
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
 * Clusters that are written only with this installation's mark.
 *
 * @param connections the API server of a cluster, by its name
 * @param title what the clusters are, in the words of messages: `WDS`
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
