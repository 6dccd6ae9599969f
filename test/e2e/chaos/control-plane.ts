import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { type Cluster, type ClusterName, clusters } from '#test/e2e/clusters.ts';
import { generateServiceAccountKeys, installCRDs, restRequest, TinyCA } from '#tools/envtest.ts';

const PATIENCE = { timeout: 60_000, interval: 100 };
const CRDS = join(import.meta.dirname, '../../../infra/crds');
const GRACE_MS = 3_000;
const LOG_CHARACTERS = 4_000;

/** A server that ends and comes back on the same port and the same data. */
interface Restartable {
  /** Ends the process with this signal, as a kubelet does: what is told to end and does not is killed after a while. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it again; returns when it is ready. */
  start(): Promise<void>;
}

/** An API server and its etcd, each of which can be restarted. */
export interface ControlPlane {
  readonly cluster: Cluster;
  readonly apiServer: Restartable;
  readonly etcd: Restartable;
  /** The cluster with the credentials of a user, who has no permissions yet. */
  as(user: string): Promise<Cluster>;
  dispose(): Promise<void>;
}

/** A port on which nobody listens at the time. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface ServerOptions {
  readonly command: string;
  readonly flags: Readonly<Record<string, string>>;
  /** Throws or returns false until it is ready. */
  readonly isReady: () => Promise<boolean>;
}

class Server implements Restartable {
  readonly #options: ServerOptions;
  #child: ChildProcess | undefined;
  #log = '';

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { command, flags, isReady } = this.#options;
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-LOG_CHARACTERS);
    });
    await vi.waitFor(async () => {
      if (child.exitCode === null && (await isReady())) return;
      throw new Error(`${command} is not ready: ${this.#log}`);
    }, PATIENCE);
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    // An API server waits for watches for a minute; a pod would get half of it.
    const killing = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    await exited;
    clearTimeout(killing);
  }
}

function etcdOf(binaries: string, folder: string, url: string): Restartable {
  return new Server({
    command: join(binaries, 'etcd'),
    flags: {
      'data-dir': join(folder, 'etcd'),
      'listen-client-urls': url,
      'advertise-client-urls': url,
      'listen-peer-urls': 'http://127.0.0.1:0',
      // A process that is killed loses nothing of what it has written; only a machine would.
      'unsafe-no-fsync': 'true',
    },
    isReady: async () => (await fetch(`${url}/readyz`)).ok,
  });
}

/** How the API server names the users for whom it asks the server of an APIService. */
const FRONT_PROXY = {
  'requestheader-allowed-names': 'front-proxy-client',
  'requestheader-username-headers': 'X-Remote-User',
  'requestheader-uid-headers': 'X-Remote-Uid',
  'requestheader-group-headers': 'X-Remote-Group',
  'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
};

/**
 * Writes what the API server proves its name, its tokens and (to the servers of APIServices) itself with; returns an
 * administrator's credentials, and the authority of users.
 */
async function writeCertificates(folder: string) {
  const authority = await TinyCA.create();
  const serving = await authority.newServingCert('localhost', '127.0.0.1');
  const keys = await generateServiceAccountKeys();
  const proxyAuthority = await TinyCA.create('front-proxy-ca');
  const proxy = await proxyAuthority.newClientCert(FRONT_PROXY['requestheader-allowed-names']);
  const files = {
    'client-ca-file': authority.certificatePem,
    'tls-cert-file': serving.certPem,
    'tls-private-key-file': serving.keyPem,
    'service-account-key-file': keys.publicKeyPem,
    'service-account-signing-key-file': keys.privateKeyPem,
    'requestheader-client-ca-file': proxyAuthority.certificatePem,
    'proxy-client-cert-file': proxy.certPem,
    'proxy-client-key-file': proxy.keyPem,
  };
  for (const [flag, pem] of Object.entries(files))
    await writeFile(join(folder, flag), pem, { mode: 0o600 });
  const administrator = await authority.newClientCert('administrator', ['system:masters']);
  return {
    flags: Object.fromEntries(Object.keys(files).map((flag) => [flag, join(folder, flag)])),
    rest: { caPem: authority.certificatePem, ...administrator },
    authority,
  };
}

/**
 * Starts an API server with an etcd of its own, with the programs of this run. The WDS gets KubeStellar's kinds.
 *
 * @param more further flags of the API server
 * @throws Error when one of them is not ready in time; none runs then.
 */
export async function startControlPlane(
  name: ClusterName,
  more: Readonly<Record<string, string>> = {},
): Promise<ControlPlane> {
  const binaries = dirname(clusters().kubectlPath);
  const folder = await mkdtemp(join(tmpdir(), `starfold-chaos-${name}-`));
  const etcdUrl = `http://127.0.0.1:${await freePort()}`;
  const port = await freePort();
  const server = `https://127.0.0.1:${port}`;
  const { flags, rest, authority } = await writeCertificates(folder);
  const etcd = etcdOf(binaries, folder, etcdUrl);
  const apiServer = new Server({
    command: join(binaries, 'kube-apiserver'),
    flags: {
      ...flags,
      ...FRONT_PROXY,
      'etcd-servers': etcdUrl,
      'bind-address': '127.0.0.1',
      'advertise-address': '127.0.0.1',
      'secure-port': String(port),
      'cert-dir': folder,
      'service-account-issuer': server,
      'service-cluster-ip-range': '10.0.0.0/24',
      'authorization-mode': 'RBAC',
      // Nobody makes the ServiceAccounts that it asks for.
      'disable-admission-plugins': 'ServiceAccount',
      ...more,
    },
    isReady: async () => (await restRequest({ server, ...rest }, 'GET', '/readyz')).status === 200,
  });
  const dispose = async (): Promise<void> => {
    await apiServer.end('SIGKILL');
    await etcd.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await etcd.start();
    await apiServer.start();
    if (name === 'wds') await installCRDs({ server, ...rest }, [CRDS]);
  } catch (error) {
    await dispose();
    throw error;
  }
  const cluster = { name, server, etcdUrl, ...rest };
  const as = async (user: string) => ({ ...cluster, ...(await authority.newClientCert(user)) });
  return { cluster, apiServer, etcd, as, dispose };
}
