import {
  type ClusterType,
  UnknownWdsError,
  WDS_CLUSTER,
  WdsCredentialsError,
} from '#shared/errors.ts';
import type { KubeconfigSource } from '#shared/ports/kubeconfig-source.ts';
import type { KubeconfigLocations } from './kubeconfig-locations.ts';
import { BINARY, EMPTY } from './messages.ts';
import { type ReadFault, readFaultOf } from './read-fault.ts';
import { createReaders, locationText, type ReaderOptions } from './readers.ts';

/** How to reach AWS, and what the kubeconfigs are for. */
export interface KubeconfigSourceOptions extends ReaderOptions {
  /** The type of the clusters. Default: WDSes. */
  readonly clusterType?: ClusterType;
}

/**
 * Reads kubeconfigs from Secrets Manager and Parameter Store, each with a client of its own region, and caches them for 5
 * minutes. The clients are created when the first location of their kind is read.
 */
export function createKubeconfigSource(
  locations: KubeconfigLocations,
  options: KubeconfigSourceOptions = {},
): KubeconfigSource {
  const { clusterType = WDS_CLUSTER } = options;
  const readers = createReaders(options);
  const words = new Map(
    [...locations].map(([wds, location]) => [wds, locationText(location, options.region)] as const),
  );
  const refusal = (
    wds: string,
    { fault, faultAndRemedy }: ReadFault,
    options?: ErrorOptions,
  ): WdsCredentialsError =>
    new WdsCredentialsError(
      { wds, location: words.get(wds) ?? '', fault, clusterType },
      faultAndRemedy,
      options,
    );

  return {
    locations: words,
    async read(wds, { fresh }) {
      const location = locations.get(wds);
      if (location === undefined) throw new UnknownWdsError(wds, locations.keys(), clusterType);
      let value: string | Uint8Array | undefined;
      try {
        value = await readers(location)(location.id, fresh);
      } catch (error) {
        throw refusal(wds, readFaultOf(error, location), { cause: error });
      }
      if (value instanceof Uint8Array)
        throw refusal(wds, { fault: 'binary', faultAndRemedy: BINARY });
      if (value === undefined || value.trim() === '')
        throw refusal(wds, { fault: 'empty', faultAndRemedy: EMPTY });
      return value;
    },
  };
}
