import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import { SSMProvider } from '@aws-lambda-powertools/parameters/ssm';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { KubeconfigLocation } from './kubeconfig-locations.ts';

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
export interface ReaderOptions {
  /** The region of the locations that name none. Default: AWS_REGION. */
  readonly region?: string;
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

/** Reads from one region. Returns undefined if nothing is stored. */
type Read = (id: string, forceFetch: boolean) => Promise<string | Uint8Array | undefined>;

const READERS: Readonly<Record<KubeconfigLocation['service'], (config: ClientConfig) => Read>> = {
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

/** One reader for each kind of location and region, created at its first use. Values are cached for 5 minutes. */
export function createReaders(options: ReaderOptions): (location: KubeconfigLocation) => Read {
  const made = new Map<string, Read>();
  return ({ service, region = options.region }) => {
    const key = `${service} ${region}`;
    const at = region === undefined ? {} : { region };
    const read = made.get(key) ?? READERS[service]({ ...CLIENT_CONFIG, ...options.client, ...at });
    made.set(key, read);
    return read;
  };
}

/** A location for users: `ssm:/starfold/wds1 (region eu-central-1)`. */
export function locationText(
  { service, id, region }: KubeconfigLocation,
  own: string | undefined,
): string {
  const at = region ?? own;
  return at === undefined ? `${service}:${id}` : `${service}:${id} (region ${at})`;
}
