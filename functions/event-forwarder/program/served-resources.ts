import { resourceName } from '#shared/core/resource-name.ts';
import type { ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { ForwarderConfig } from './config.ts';

/** The resources that a source names, as its configuration writes them: `deployments.apps/v1`. */
export function configuredResources(source: ForwarderConfig['source']): readonly string[] {
  return source.type === 'wec' ? (source.select.resources ?? []) : [];
}

/** Finds out once what a cluster serves, so that the name that was probably meant can be told. */
export class ServedResources {
  readonly #api: Pick<ResourceApi, 'discover'>;
  #names: readonly string[] | undefined;
  #asking = false;

  constructor(api: Pick<ResourceApi, 'discover'>) {
    this.#api = api;
  }

  /** By `<resource>.<group>/<version>`; none where that is not known. */
  names(): readonly string[] {
    return this.#names ?? [];
  }

  /** Whether an answer is still to come. */
  isAsking(): boolean {
    return this.#asking;
  }

  /** Asks the first time that it is called, and calls back once there is an answer or none can be had. */
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
      // What is not served is told of all the same.
      .catch(() => undefined)
      .finally(() => {
        this.#asking = false;
        onAnswer();
      });
  }
}
