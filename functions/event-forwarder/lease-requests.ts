import type { JsonObject } from '#shared/core/json.ts';
import {
  ApiForbiddenError,
  ApiNotFoundError,
  ApiUnavailableError,
  messageOf,
} from '#shared/errors.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { type Lease, type LeaseName, leaseRef, parseLease } from './lease.ts';

/** The dependencies of requests for a Lease. */
export interface LeaseRequestOptions {
  readonly api: ObjectApi;
  readonly lease: LeaseName;
  /** Ends after this number of milliseconds, or at once if the signal aborts. Never throws. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The time after which a request counts as failed. */
  readonly timeoutMs: number;
}

/** Reads and writes the Lease of an election. Each request ends in bounded time, regardless of the API server. */
export class LeaseRequests {
  readonly #options: LeaseRequestOptions;
  readonly #ref: ObjectRef;

  constructor(options: LeaseRequestOptions) {
    this.#options = options;
    this.#ref = leaseRef(options.lease);
  }

  /**
   * Reads the Lease, or returns `undefined` if there is none.
   *
   * @throws as {@link ObjectApi.get}; ApiUnavailableError also if the signal aborts
   */
  async read(signal: AbortSignal): Promise<Lease | undefined> {
    const object = await this.#timed('get', signal, (own) => this.#options.api.get(this.#ref, own));
    return object && parseLease(object);
  }

  /**
   * Creates the Lease and returns it as stored.
   *
   * @throws as {@link ObjectApi.create}; ApiUnavailableError also if the signal aborts
   */
  async create(object: JsonObject, signal: AbortSignal): Promise<Lease> {
    const { api } = this.#options;
    return parseLease(
      await this.#timed('create', signal, (own) => api.create(this.#ref, object, own)),
    );
  }

  /**
   * Replaces the Lease on the resourceVersion of the object and returns it as stored. An API server also answers with a
   * conflict if the Lease is gone, because no existing object has the uid of the object.
   *
   * @throws as {@link ObjectApi.replace}; ApiUnavailableError also if the signal aborts
   */
  async replace(object: JsonObject, signal: AbortSignal): Promise<Lease> {
    const { api } = this.#options;
    return parseLease(
      await this.#timed('replace', signal, (own) => api.replace(this.#ref, object, own)),
    );
  }

  /** The reason why a request failed, with the remedy if it depends on the request. One line of text. */
  faultText(error: unknown): string {
    const { namespace, name } = this.#options.lease;
    const reason = messageOf(error);
    return `Lease ${namespace}/${name}: ${reason}${this.#remedy(error)}`;
  }

  #remedy(error: unknown): string {
    const { namespace } = this.#options.lease;
    if (error instanceof ApiNotFoundError) return `: create the namespace ${namespace}`;
    if (!(error instanceof ApiForbiddenError)) return '';
    if (error.unauthenticated)
      return ': give the forwarder credentials that this API server knows (its kubeconfig or service account)';
    const verb = error.operation.split(' ', 1)[0] ?? '';
    const needed = verb === 'replace' ? 'update' : verb;
    return `: the verb ${needed} is missing; grant get, create and update on leases.coordination.k8s.io in namespace ${namespace} to the forwarder (a Role and a RoleBinding)`;
  }

  async #timed<T>(
    verb: string,
    signal: AbortSignal,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const ended = new AbortController();
    const own = AbortSignal.any([signal, ended.signal]);
    const { sleep, timeoutMs } = this.#options;
    // The sleep ends with the request, so that it does not keep a process alive.
    const timeout = sleep(timeoutMs, own).then((): never => {
      throw new ApiUnavailableError(
        `${verb} leases.coordination.k8s.io/v1 ${this.#ref.namespace}/${this.#ref.name}`,
        signal.aborted ? 'given up' : `no answer within ${timeoutMs / 1000} s`,
      );
    });
    try {
      // If a request that was given up still takes effect, its resourceVersion is outdated, so it does no harm.
      return await Promise.race([request(own), timeout]);
    } finally {
      ended.abort();
    }
  }
}
