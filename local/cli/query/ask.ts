import { askJson, pathOf, RefusedError } from '#local/cli/door/ask-json.ts';
import type { Door } from '#local/cli/door/door.ts';
import { meantResources } from '#local/cli/input/resource-word.ts';
import { API_VERSION } from '#shared/api/api-group.ts';
import { at, isObject, type JsonObject, textAt } from '#shared/core/json.ts';
import { MAX_QUERY_LIMIT } from '#shared/core/limits.ts';

/** A door, and where its warnings go. */
export interface Asking {
  readonly door: Door;
  readonly onWarning: (text: string) => void;
  readonly signal: AbortSignal;
}

/** The objects that a query is about. */
export interface QueriedObjects {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  /** The word for a resource, such as `deploy`. */
  readonly word?: string;
  readonly name?: string;
  readonly labelSelector?: JsonObject;
}

/** A query, as it is sent but for where it goes on. */
interface Sent {
  readonly kind: 'StatusQuery' | 'ClusterStatusQuery';
  readonly namespace?: string;
  readonly spec: JsonObject;
}

const INVALID = 422;
/** An answer that says that the resource is another one, or elsewhere. */
const OTHER_RESOURCE = 'spec.workloads.resource: ';

/** Whether an error says that the API knows no objects of the resource there. */
export function isOtherResource(error: unknown): error is RefusedError {
  return (
    error instanceof RefusedError &&
    error.code === INVALID &&
    error.message.includes(OTHER_RESOURCE)
  );
}

/**
 * What a command line may mean: each resource that the word may mean, in the namespace or in all of them, and then without one.
 * The first that the API knows is meant.
 */
function candidates(
  { namespace, word, name, labelSelector }: QueriedObjects,
  spec: JsonObject,
): readonly Sent[] {
  const resources = word === undefined ? [{}] : meantResources(word);
  const selected = {
    ...(name === undefined ? {} : { name }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  };
  const placed = resources.map((resource): Sent => {
    const workloads: JsonObject = { ...resource, ...selected };
    if (namespace !== undefined)
      return { kind: 'StatusQuery', namespace, spec: { ...spec, workloads } };
    const all = { ...workloads, allNamespaces: true };
    return { kind: 'ClusterStatusQuery', spec: { ...spec, workloads: all } };
  });
  const unplaced = resources.map(
    (resource): Sent => ({
      kind: 'ClusterStatusQuery',
      spec: { ...spec, workloads: { ...resource, ...selected } },
    }),
  );
  return word === undefined ? placed : [...placed, ...unplaced];
}

async function send(
  { door, onWarning, signal }: Asking,
  { kind, namespace, spec }: Sent,
  more: JsonObject,
): Promise<JsonObject> {
  const plural = kind === 'StatusQuery' ? 'statusqueries' : 'clusterstatusqueries';
  const path = pathOf({ plural, ...(namespace === undefined ? {} : { namespace }) });
  const body = { apiVersion: API_VERSION, kind, metadata: {}, spec: { ...spec, ...more } };
  return askJson(door, { method: 'POST', path, body, signal }, onWarning);
}

/** The first candidate that the API knows, with its first answer. */
async function firstKnown(
  asking: Asking,
  sent: readonly Sent[],
  more: JsonObject,
): Promise<{ readonly sent: Sent; readonly answer: JsonObject }> {
  let first: RefusedError | undefined;
  for (const one of sent) {
    try {
      return { sent: one, answer: await send(asking, one, more) };
    } catch (error) {
      if (!isOtherResource(error)) throw error;
      first ??= error;
    }
  }
  throw first;
}

/**
 * The answers to a query, one after the other.
 *
 * @param most the most rows, or groups, of one answer; it is asked before each
 * @throws RefusedError if the API rejects the query; what the door throws
 */
export async function* answersTo(
  asking: Asking,
  { objects, spec }: { readonly objects: QueriedObjects; readonly spec: JsonObject },
  most: () => number | undefined,
): AsyncGenerator<JsonObject> {
  const limited = (): JsonObject => {
    const limit = most();
    return limit === undefined ? {} : { limit: Math.min(limit, MAX_QUERY_LIMIT) };
  };
  const begun = await firstKnown(asking, candidates(objects, spec), limited());
  let { answer } = begun;
  for (;;) {
    yield answer;
    const token = textAt(answer, 'status', 'continue');
    if (token === '' || most() === 0) return;
    answer = await send(asking, begun.sent, { ...limited(), continue: token });
  }
}

/** `status` of an answer. */
export function statusOf(answer: JsonObject): JsonObject {
  const status = at(answer, 'status');
  return isObject(status) ? status : {};
}
