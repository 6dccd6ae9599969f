import type { JsonObject } from '#shared/core/json.ts';
import type { WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { keyOf } from './reflection.ts';

/** Changes that are remembered: a reader that missed more of them lists again. */
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
 * The objects of one resource as a listing found them and a watch has changed them since, and which of them changed last:
 * what the watch cache of an API server holds. Objects are kept as they came, and never copied.
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

  /** Where a watch continues. */
  get version(): string {
    return this.#version;
  }

  /** All objects that exist at this version. */
  all(): readonly JsonObject[] {
    return [...this.#objects.values()];
  }

  /** Takes in one line of a watch that began at this version. */
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
   * What a watch has to say to a reader that has seen everything up to a version. Of an object that changed several times
   * only the last change is in it.
   *
   * @returns `undefined` if it is not known what came after that version
   */
  since(version: string): readonly WatchEvent[] | undefined {
    // Some servers send changes without a version of their own: of several with one version the first one counts.
    const seen = this.#changes.findIndex((change) => change.version === version);
    if (seen < 0 && version !== this.#base) return undefined;
    const missed = this.#changes.slice(version === this.#base ? 0 : seen + 1);
    const last = new Map(missed.map((change) => [change.key, change]));
    return missed.filter((change) => last.get(change.key) === change).map((one) => this.#told(one));
  }

  #remember(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length <= MAX_REMEMBERED) return;
    this.#base = this.#changes.shift()?.version ?? this.#base;
  }

  #told({ version: resourceVersion, key }: Change): WatchEvent {
    if (key === undefined) return { type: 'BOOKMARK', resourceVersion };
    const object = this.#objects.get(key);
    return object === undefined
      ? { type: 'DELETED', resourceVersion, object: objectOf(key) }
      : { type: 'MODIFIED', resourceVersion, object };
  }
}
