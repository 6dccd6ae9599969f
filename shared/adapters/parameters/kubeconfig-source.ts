import {
  type ClusterType,
  UnknownWdsError,
  WDS_CLUSTER,
  WdsCredentialsError,
} from '#shared/errors.ts';
import type { KubeconfigSource } from '#shared/ports/kubeconfig-source.ts';
import type { KubeconfigPlaces } from './kubeconfig-places.ts';
import { type ReadFault, readFaultOf } from './read-fault.ts';
import { createReaders, placeInWords, type ReaderOptions } from './readers.ts';

/** How to reach AWS, and what the kubeconfigs are for. */
export interface KubeconfigSourceOptions extends ReaderOptions {
  /** The type of the clusters. Default: WDSes. */
  readonly clusterType?: ClusterType;
}

const BINARY: ReadFault = {
  fault: 'binary',
  faultAndRemedy:
    'it is binary: store the kubeconfig as text (aws secretsmanager put-secret-value --secret-string file://kubeconfig)',
};

const EMPTY: ReadFault = {
  fault: 'empty',
  faultAndRemedy:
    'there is nothing in it: store the kubeconfig there (kubectl config view --raw --flatten --minify)',
};

/**
 * Reads kubeconfigs from Secrets Manager and Parameter Store, each with a client of its own region, and caches them for 5
 * minutes. The clients are created when the first place of their kind is read.
 */
export function createKubeconfigSource(
  places: KubeconfigPlaces,
  options: KubeconfigSourceOptions = {},
): KubeconfigSource {
  const { clusterType = WDS_CLUSTER } = options;
  const readers = createReaders(options);
  const words = new Map(
    [...places].map(([wds, place]) => [wds, placeInWords(place, options.region)] as const),
  );
  const refusal = (
    wds: string,
    { fault, faultAndRemedy }: ReadFault,
    options?: ErrorOptions,
  ): WdsCredentialsError =>
    new WdsCredentialsError(
      { wds, place: words.get(wds) ?? '', fault, clusterType },
      faultAndRemedy,
      options,
    );

  return {
    places: words,
    async read(wds, { fresh }) {
      const place = places.get(wds);
      if (place === undefined) throw new UnknownWdsError(wds, places.keys(), clusterType);
      let value: string | Uint8Array | undefined;
      try {
        value = await readers(place)(place.id, fresh);
      } catch (error) {
        throw refusal(wds, readFaultOf(error, place), { cause: error });
      }
      if (value instanceof Uint8Array) throw refusal(wds, BINARY);
      if (value === undefined || value.trim() === '') throw refusal(wds, EMPTY);
      return value;
    },
  };
}
