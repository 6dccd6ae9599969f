import { at, type JsonObject } from '#shared/core/json.ts';
import type { Resource, Selection } from '#shared/ports/kubernetes-api.ts';

/** `<namespace>/<name>` of an object, `''` for the namespace of a cluster-scoped one. */
export function keyOf(object: JsonObject): string {
  const namespace = at(object, 'metadata', 'namespace');
  const name = at(object, 'metadata', 'name');
  return `${typeof namespace === 'string' ? namespace : ''}/${String(name)}`;
}

/** What a reflector tells of a resource. `key` is `<namespace>/<name>`, unique within the resource. */
export type Reflection =
  | {
      readonly type: 'added' | 'modified';
      readonly key: string;
      readonly object: JsonObject;
      /** It is told because everything was listed anew: what changed meanwhile went unseen. */
      readonly relisted: boolean;
    }
  | { readonly type: 'deleted'; readonly key: string }
  /** A full listing has been told. */
  | { readonly type: 'synced' };

/**
 * `listing`, `connecting` (listed, the watch is not accepted yet) and `watching`: that is being done. `waiting`: it
 * failed, and is tried again until it succeeds. `not-served`: the API server does not know the resource, or not in this
 * version, in which case it is not synced; `forbidden`: an
 * optional one may not be listed, so nothing is told of it. Both are being looked at again.
 */
export type ReflectorPhase =
  | 'listing'
  | 'connecting'
  | 'watching'
  | 'waiting'
  | 'not-served'
  | 'forbidden';

/** How a reflector is. */
export interface ReflectorState {
  readonly phase: ReflectorPhase;
  /** Whether everything that was listed and watched so far makes a whole: false until the end of a listing. */
  readonly synced: boolean;
  /** The API server's last word was that it does not know the resource; also while it does not answer at all. */
  readonly unserved?: true;
  /** Why it waits. */
  readonly error?: string;
  /** Listings that ended well, watches that were accepted, and attempts at either that failed, since the start. */
  readonly listings: number;
  readonly watches: number;
  readonly failures: number;
}

/** What a reflector follows, and whom it tells. */
export interface ReflectorOptions {
  readonly resource: Resource;
  readonly selection: Selection;
  /**
   * The source can do without: when listing it has been forbidden for about a minute, it counts as empty. One that is
   * not optional waits until it is allowed.
   */
  readonly optional?: boolean;
  /** Keys of objects that have been told of already: they are told to be deleted if they are not listed. */
  readonly known?: Iterable<string>;
  readonly onReflection: (reflection: Reflection) => void;
  readonly onState: (state: ReflectorState) => void;
}
