import { resourceName } from '#shared/core/resource-name.ts';
import type { ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { ForwarderConfig } from './config.ts';

/** The resources that a source names, as its configuration writes them: `deployments.apps/v1`. */
export function configuredResources(source: ForwarderConfig['source']): readonly string[] {
  return source.type === 'wec' ? (source.select.resources ?? []) : [];
}

/** Reads once which resources a cluster serves, to suggest the name that was probably meant. */
export class ServedResources {
  readonly #api: Pick<ResourceApi, 'discover'>;
  #names: readonly string[] | undefined;
  #asking = false;

  constructor(api: Pick<ResourceApi, 'discover'>) {
    this.#api = api;
  }

  /** The names as `<resource>.<group>/<version>`. Empty if they are not known. */
  names(): readonly string[] {
    return this.#names ?? [];
  }

  /** Whether the request is in progress. */
  isAsking(): boolean {
    return this.#asking;
  }

  /** Sends the request at the first call. Calls back after the answer, or if the request fails. */
  ask(signal: AbortSignal, onAnswer: () => void): void {
    if (this.#names !== undefined) return;
    this.#names = [];
    this.#asking = true;
    this.#api
      .discover(signal)
      .then(({ resources }) => {
        this.#names = resources.flatMap((info) =>
          [info.version, ...(info.otherVersions ?? [])].map((version) =>
            resourceName({ ...info, version }),
          ),
        );
      })
      // Resources that are not served are reported anyway.
      .catch(() => undefined)
      .finally(() => {
        this.#asking = false;
        onAnswer();
      });
  }
}
