import { networkInterfaces } from 'node:os';
import { getContainerRuntimeClient, LocalstackContainer, Wait } from '#tools/containers.ts';
import { emulatorImage } from './image.ts';

const REGION = 'us-east-1';
/** Counts as the root user of the account, whatever IAM says of others. */
const ROOT: Credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
/** Inside of the container: this machine. */
const HOST = 'host.docker.internal';
const PORT = 4566;
const HEALTH = '/_localstack/health';
const SOCKET = '/var/run/docker.sock';

/** An access key, of a user or of the account's root. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What the clients of the AWS SDK are made with. */
export interface ClientConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: Credentials;
}

/** A running emulator of AWS, with nothing in it, that enforces IAM's policies where it can. */
export interface Emulator extends AsyncDisposable {
  readonly image: string;
  readonly startMs: number;
  /** Without credentials: those of the account's root. */
  config(credentials?: Credentials): ClientConfig;
  /** Whether it has HTTP APIs: LocalStack's free image has none. */
  readonly hasHttpApis: boolean;
  /** An address of an HTTP API, as this machine reaches it. */
  apiUrl(url: string): string;
  /** What a process needs in its environment so that AWS is the emulator. */
  readonly env: Readonly<Record<string, string>>;
  /** Where something on this machine has to listen, and by which name the functions reach it. */
  readonly host: { readonly listen: string; readonly name: string };
}

function isLocalStack(image: string): boolean {
  return /(^|\/)localstack\//.test(image);
}

function containerOf(image: string): LocalstackContainer {
  const container = new LocalstackContainer(image)
    // The log says that the emulator is ready a moment before its port answers.
    .withWaitStrategy(
      Wait.forAll([Wait.forLogMessage('Ready', 1), Wait.forHttp(HEALTH, PORT).forStatusCode(200)]),
    )
    // MiniStack's switch for what IAM allows, and LocalStack's.
    .withEnvironment({
      AUTH: 'true',
      ENFORCE_IAM: '1',
      LAMBDA_DOCKER_FLAGS: `--add-host=${HOST}:host-gateway`,
    })
    .withExtraHosts([{ host: HOST, ipAddress: 'host-gateway' }]);
  // It runs each function in a container of its own. Another emulator is not given the engine.
  if (isLocalStack(image)) container.withBindMounts([{ source: SOCKET, target: SOCKET }]);
  return container;
}

/** The engine's own address on this machine, where it has one: only containers can reach what listens there. */
async function listenAddress(containerId: string): Promise<string> {
  const { container } = await getContainerRuntimeClient();
  const { NetworkSettings } = await container.inspect(container.getById(containerId));
  const gateways = Object.values(NetworkSettings.Networks).map(({ Gateway }) => Gateway);
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => address),
  );
  // Docker Desktop has its engine in another machine, and leads the name of this one to its loopback address.
  return gateways.find((address) => own.includes(address)) ?? '127.0.0.1';
}

/** The ID of an HTTP API, which its address begins with. */
export function apiIdOf(url: string): string {
  return new URL(url).hostname.split('.')[0] ?? '';
}

/** Starts the emulator. @throws what testcontainers throws when its image does not start. */
export async function startEmulator(): Promise<Emulator> {
  const image = emulatorImage();
  const before = performance.now();
  const container = await containerOf(image).start();
  const startMs = performance.now() - before;
  // By address: the name localhost would make S3 put its buckets into host names.
  const endpoint = `http://127.0.0.1:${container.getPort()}`;
  return {
    image,
    startMs,
    config: (credentials = ROOT) => ({ endpoint, region: REGION, credentials }),
    hasHttpApis: !isLocalStack(image),
    // By path: not every machine knows the hosts below localhost.
    apiUrl: (url) => `${endpoint}/_aws/execute-api/${apiIdOf(url)}`,
    env: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: ROOT.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ROOT.secretAccessKey,
    },
    host: { listen: await listenAddress(container.getId()), name: HOST },
    [Symbol.asyncDispose]: async () => {
      await container.stop();
    },
  };
}
