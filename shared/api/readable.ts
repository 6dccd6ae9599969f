import { createConcurrencyLimit } from '#shared/concurrency.ts';
import type { StatusSelector } from '#shared/core/status-api/selector.ts';
import {
  type GroupResource,
  resourceText,
  type WorkloadName,
} from '#shared/core/status-api/status-name.ts';
import type { Scope, StatusSource } from '#shared/ports/status-source.ts';
import type { User } from './api-request.ts';
import { leftOut } from './messages.ts';
import type { Reviews } from './reviews.ts';

/** How many reviews one request has in progress. */
const REVIEWS_AT_ONCE = 10;

/** The workload objects that somebody asks about. */
export interface ReadablePlace {
  readonly scope: Scope;
  /** The name of the only object that is asked about. A permission for this name suffices. `''` for every object. */
  readonly name: string;
}

/** Which resources of workload objects a reader may get in a scope. */
export class Readable {
  readonly #reviews: Reviews;
  readonly #user: User;
  readonly #namespace: string;
  readonly #name: string;
  /** By name of the resource. A resource that is not here has not been reviewed. */
  readonly #known = new Map<string, boolean>();

  constructor(reviews: Reviews, user: User, { scope, name }: ReadablePlace) {
    this.#reviews = reviews;
    this.#user = user;
    this.#namespace = typeof scope === 'object' ? scope.namespace : '';
    this.#name = name;
  }

  /**
   * Reviews resources that have not been reviewed yet.
   *
   * @throws StatusError 503 if the WDS does not answer
   */
  async review(resources: readonly GroupResource[]): Promise<void> {
    const limit = createConcurrencyLimit(REVIEWS_AT_ONCE);
    const unknown = resources.filter((resource) => !this.#known.has(resourceText(resource)));
    await Promise.all(unknown.map((resource) => limit(() => this.#reviewOne(resource))));
  }

  async #reviewOne({ group, resource }: GroupResource): Promise<void> {
    const where = { namespace: this.#namespace, name: this.#name };
    const access = { verb: 'get', group, resource, ...where };
    this.#known.set(
      resourceText({ group, resource }),
      await this.#reviews.allows(this.#user, access),
    );
  }

  /** Whether the reader may get a resource. One that has not been reviewed may not be read. */
  has(resource: GroupResource): boolean {
    return this.#known.get(resourceText(resource)) === true;
  }

  /** Whether the reader may get an object. */
  hasObject(workload: WorkloadName): boolean {
    return this.has(workload) && (this.#name === '' || this.#name === workload.name);
  }

  /** Identifies what the reader may read, whoever he is. */
  get rights(): string {
    return JSON.stringify([this.#name, ...this.allowed()]);
  }

  /** The names of the resources that the reader may get, sorted. */
  allowed(): readonly string[] {
    return [...this.#known].flatMap(([name, allowed]) => (allowed ? [name] : [])).sort();
  }

  /** The names of the resources that the reader may not get, sorted. */
  hidden(): readonly string[] {
    return [...this.#known].flatMap(([name, allowed]) => (allowed ? [] : [name])).sort();
  }
}

/** The value that a selector requires of a field. Undefined if it allows several. */
function required({ fields }: StatusSelector, name: string): string | undefined {
  return fields.find(({ field, operator }) => field === name && operator === '=')?.value;
}

/**
 * Reviews the resources of a scope that a selector can select.
 *
 * @throws StatusError 503 if the WDS does not answer
 */
export async function reviewScope(
  { source, readable }: { readonly source: StatusSource; readonly readable: Readable },
  { scope, selector }: { readonly scope: Scope; readonly selector: StatusSelector },
  signal: AbortSignal,
): Promise<void> {
  const group = required(selector, 'workload.group');
  const resource = required(selector, 'workload.resource');
  const all = await source.resourcesIn(scope, signal);
  await readable.review(
    all.filter(
      (one) =>
        (group === undefined || one.group === group) &&
        (resource === undefined || one.resource === resource),
    ),
  );
}

/** The header `Warning` of an answer from which objects are left out. */
export function warningOf(hidden: readonly string[]): Readonly<Record<string, string>> {
  if (hidden.length === 0) return {};
  return { warning: `299 - "${leftOut(hidden)}"` };
}
