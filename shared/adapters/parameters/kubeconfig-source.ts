import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import { SSMProvider } from '@aws-lambda-powertools/parameters/ssm';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import {
  type ClusterType,
  UnknownWdsError,
  WDS_CLUSTER,
  WdsCredentialsError,
} from '#shared/errors.ts';
import type { KubeconfigSource } from '#shared/ports/kubeconfig-source.ts';
import type { KubeconfigPlace, KubeconfigPlaces } from './kubeconfig-places.ts';
import { type ReadFault, readFaultOf } from './read-fault.ts';

/** How long a value is cached, in seconds. */
const MAX_AGE_SECONDS = 300;

/** The configuration of a client. */
interface ClientConfig {
  readonly region?: string;
  readonly maxAttempts: number;
  /** Milliseconds. */
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: boolean;
  };
}

/** Short, because an invocation has to end within its own timeout even if AWS does not answer. */
const CLIENT_CONFIG: ClientConfig = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 2000, requestTimeout: 4000, throwOnRequestTimeout: true },
};

/** How to reach AWS. In a Lambda function all of it is absent, because the environment has it. */
export interface KubeconfigSourceOptions {
  /** The region of the places that name none. Default: AWS_REGION. */
  readonly region?: string;
  /** The type of the clusters. Default: WDSes. */
  readonly clusterType?: ClusterType;
  /** Overrides of the clients' configuration, for tests and for other processes. */
  readonly client?: ClientOverrides;
}

/** Members of the AWS SDK's client configuration. */
interface ClientOverrides {
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly maxAttempts?: number;
  readonly requestHandler?: ClientConfig['requestHandler'];
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

/** Reads from one region. Returns undefined if nothing is stored. */
type Read = (id: string, forceFetch: boolean) => Promise<string | Uint8Array | undefined>;

const READERS: Readonly<Record<KubeconfigPlace['service'], (config: ClientConfig) => Read>> = {
  secretsmanager: (config) => {
    const provider = new SecretsProvider({ awsSdkV3Client: new SecretsManagerClient(config) });
    return (id, forceFetch) => provider.get(id, { maxAge: MAX_AGE_SECONDS, forceFetch });
  },
  ssm: (config) => {
    const provider = new SSMProvider({ awsSdkV3Client: new SSMClient(config) });
    return (id, forceFetch) =>
      provider.get(id, { maxAge: MAX_AGE_SECONDS, forceFetch, decrypt: true });
  },
};

/** One reader for each kind of place and region, created at its first use. */
function createReaders(options: KubeconfigSourceOptions): (place: KubeconfigPlace) => Read {
  const made = new Map<string, Read>();
  return ({ service, region = options.region }) => {
    const key = `${service} ${region}`;
    const at = region === undefined ? {} : { region };
    const read = made.get(key) ?? READERS[service]({ ...CLIENT_CONFIG, ...options.client, ...at });
    made.set(key, read);
    return read;
  };
}

function inWords({ service, id, region }: KubeconfigPlace, own: string | undefined): string {
  const at = region ?? own;
  return at === undefined ? `${service}:${id}` : `${service}:${id} (region ${at})`;
}

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
    [...places].map(([wds, place]) => [wds, inWords(place, options.region)] as const),
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
