import type { JsonObject } from '#shared/core/json.ts';
import type { WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { keyOf } from './reflection.ts';

/** The number of changes that are remembered. A reader that has missed more of them lists again. */
export const MAX_REMEMBERED = 1_000;

/** One line of a watch; `key` is absent for a bookmark. */
interface Change {
  readonly version: string;
  readonly key?: string;
}

function objectOf(key: string): JsonObject {
  const slash = key.indexOf('/');
  return { metadata: { namespace: key.slice(0, slash), name: key.slice(slash + 1) } };
}

/**
 * The objects of one resource as a listing returned them and a watch has changed them since, and the most recent changes. The
 * watch cache of an API server has the same content. Objects are kept as they were received, and are never copied.
 */
export class HeldObjects {
  readonly #objects: Map<string, JsonObject>;
  readonly #changes: Change[] = [];
  /** The version before the first change that is remembered. */
  #base: string;
  #version: string;

  /**
   * @param objects by {@link keyOf}
   * @param version the listing's resourceVersion
   */
  constructor(objects: Map<string, JsonObject>, version: string) {
    this.#objects = objects;
    this.#base = version;
    this.#version = version;
  }

  /** The version from which a watch continues. */
  get version(): string {
    return this.#version;
  }

  /** All objects that exist at this version. */
  all(): readonly JsonObject[] {
    return [...this.#objects.values()];
  }

  /** Applies one line of a watch that began at this version. */
  apply(event: WatchEvent): void {
    const version = event.resourceVersion;
    this.#version = version;
    if (event.type === 'BOOKMARK') this.#remember({ version });
    else {
      const key = keyOf(event.object);
      if (event.type === 'DELETED') this.#objects.delete(key);
      else this.#objects.set(key, event.object);
      this.#remember({ version, key });
    }
  }

  /**
   * The watch events for a reader that has seen everything up to a version. If an object changed several times, they contain
   * only the last change.
   *
   * @returns `undefined` if the changes after that version are not known
   */
  since(version: string): readonly WatchEvent[] | undefined {
    // Some servers send changes without a version of their own. If several changes have one version, the first one counts.
    const seen = this.#changes.findIndex((change) => change.version === version);
    if (seen < 0 && version !== this.#base) return undefined;
    const missed = this.#changes.slice(version === this.#base ? 0 : seen + 1);
    const last = new Map(missed.map((change) => [change.key, change]));
    return missed
      .filter((change) => last.get(change.key) === change)
      .map((one) => this.#eventOf(one));
  }

  #remember(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length <= MAX_REMEMBERED) return;
    this.#base = this.#changes.shift()?.version ?? this.#base;
  }

  #eventOf({ version: resourceVersion, key }: Change): WatchEvent {
    if (key === undefined) return { type: 'BOOKMARK', resourceVersion };
    const object = this.#objects.get(key);
    return object === undefined
      ? { type: 'DELETED', resourceVersion, object: objectOf(key) }
      : { type: 'MODIFIED', resourceVersion, object };
  }
}
