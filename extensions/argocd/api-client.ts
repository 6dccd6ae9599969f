import type { JsonValue } from '#shared/core/json.ts';
import { bodyOf, ProblemError } from './problem.ts';
import type { Settings } from './settings.ts';
import type { ApplicationHeaders } from './shown-object.ts';

const GROUP_VERSION = 'apis/status.starfold.dev/v1alpha1';
/** The form of lists: for each object its cells, and nothing else. */
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

/** What {@link ApiClient} needs. */
export interface ApiClientOptions {
  readonly settings: Settings;
  readonly headers: ApplicationHeaders;
  /** The address of Argo CD's page (`document.baseURI`). It ends in a slash. */
  readonly base: string;
}

/** One request. */
export interface ApiRequest {
  /** `''` for resources without a namespace. */
  readonly namespace: string;
  readonly resource: string;
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly form?: 'object' | 'table';
}

/** Reads Starfold's API through Argo CD's proxy. */
export class ApiClient {
  readonly #options: ApiClientOptions;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  #address({ namespace, resource, name, query = {} }: ApiRequest): URL {
    const { settings, base } = this.#options;
    const place = namespace === '' ? [] : ['namespaces', namespace];
    const parts = [...place, resource, ...(name === undefined ? [] : [name])];
    const path = `extensions/${settings.extension}${settings.path}/${GROUP_VERSION}/${parts
      .map((part) => encodeURIComponent(part))
      .join('/')}`;
    const address = new URL(path, base);
    address.search = new URLSearchParams(query).toString();
    return address;
  }

  async #answer(request: ApiRequest, signal: AbortSignal) {
    const headers = {
      ...this.#options.headers,
      accept: request.form === 'table' ? TABLE : 'application/json',
    };
    try {
      const answer = await fetch(this.#address(request), { headers, signal });
      return { code: answer.status, text: await answer.text() };
    } catch (error) {
      signal.throwIfAborted();
      const problem = { type: 'unreachable', message: 'Argo CD does not answer.' } as const;
      throw new ProblemError(problem, { cause: error });
    }
  }

  /**
   * Reads an object or a list.
   *
   * @returns undefined if there is no such object
   * @throws ProblemError; the reason of the signal
   */
  async get(request: ApiRequest, signal: AbortSignal): Promise<JsonValue | undefined> {
    return bodyOf(await this.#answer(request, signal), this.#options.settings.extension);
  }
}
