import { at, type JsonObject } from '#shared/core/json.ts';
import type { Resource, Selection } from '#shared/ports/kubernetes-api.ts';

/** Returns `<namespace>/<name>` of an object, with `''` for the namespace of a cluster-scoped object. */
export function keyOf(object: JsonObject): string {
  const namespace = at(object, 'metadata', 'namespace');
  const name = at(object, 'metadata', 'name');
  return `${typeof namespace === 'string' ? namespace : ''}/${String(name)}`;
}

/** A report of a reflector about a resource. `key` is `<namespace>/<name>`, unique within the resource. */
export type Reflection =
  | {
      readonly type: 'added' | 'modified';
      readonly key: string;
      readonly object: JsonObject;
      /** The object is reported because everything was listed again: changes meanwhile were not seen. */
      readonly relisted: boolean;
    }
  | { readonly type: 'deleted'; readonly key: string }
  /** A complete listing has been reported. */
  | { readonly type: 'synced' };

/**
 * `listing`, `connecting` (listed, the watch is not accepted yet) and `watching` are in progress. `waiting`: the reflector
 * failed, and retries until it succeeds. `not-served`: the API server does not know the resource, or does not serve this
 * version. In the latter case, the reflector is not synced. `forbidden`: an optional resource may not be listed, so nothing of
 * it is reported. In the last two phases, the reflector checks again from time to time.
 */
export type ReflectorPhase =
  | 'listing'
  | 'connecting'
  | 'watching'
  | 'waiting'
  | 'not-served'
  | 'forbidden';

/** The state of a reflector. */
export interface ReflectorState {
  readonly phase: ReflectorPhase;
  /** Whether everything that was listed and watched so far is complete. False until the end of a listing. */
  readonly synced: boolean;
  /**
   * In its last answer, the API server did not know the resource. This also stays set while the server does not answer at all.
   */
  readonly unserved?: true;
  /** The reason why the reflector waits. */
  readonly error?: string;
  /**
   * The numbers of listings that succeeded, of watches that were accepted, and of failed attempts at either, since the start.
   */
  readonly listings: number;
  readonly watches: number;
  readonly failures: number;
}

/** The resource that a reflector follows, and its listeners. */
export interface ReflectorOptions {
  readonly resource: Resource;
  readonly selection: Selection;
  /**
   * The source does not need the resource. If listing it has been forbidden for about a minute, it counts as empty; if no object
   * of it is known and other resources are watched, after a few seconds. A reflector of a resource that is not optional waits
   * until listing is allowed.
   */
  readonly optional?: boolean;
  /** Whether another resource of the same cluster is being watched. */
  readonly isOtherWatched?: () => boolean;
  /** Keys of objects that have already been reported. If they are not listed, they are reported as deleted. */
  readonly known?: Iterable<string>;
  readonly onReflection: (reflection: Reflection) => void;
  readonly onState: (state: ReflectorState) => void;
}
