/**
 * A WDS whose API server serves status.starfold.dev itself, by the APIService of infra/manifests and with the roles of infra/rbac.
 * Starfold's program is reached through a proxy, so that it can be on another port after a restart. The WECs are those of the run.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { applyObjects } from '#test/e2e/accounts.ts';
import { assetFolder } from '#test/e2e/assets.ts';
import { type ControlPlane, startControlPlane } from '#test/e2e/chaos/control-plane.ts';
import { type Cluster, clusters, read } from '#test/e2e/clusters.ts';
import { eventually } from '#test/e2e/controls.ts';
import { kubeconfigOf } from '#test/e2e/global-setup.ts';
import { end } from '#test/e2e/stack-child.ts';
import { startTcpProxy, type TcpProxy } from '#test/e2e/tcp-proxy.ts';
import { TinyCA } from '#tools/envtest.ts';
import { rbacObjects, writeAccountKubeconfig } from './account.ts';
import { ServingProgram } from './program.ts';

export const APISERVICE = 'v1alpha1.status.starfold.dev';
/** The name that the API server expects in the certificate. */
const SERVER_NAME = 'starfold-status.starfold.svc';
const AUTHENTICATION = {
  ...{ group: '', version: 'v1', resource: 'configmaps', namespace: 'kube-system' },
  name: 'extension-apiserver-authentication',
};

/** What a program has printed. */
export interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

/** The kubeconfigs of a user. */
export interface Doors {
  /** Of the WDS, whose API server serves the API. */
  readonly wds: string;
  /** Of Starfold's own address. */
  readonly direct: string;
}

/** How the API server reaches the Service. */
export interface Routing {
  /** The file in infra/manifests/api-service. */
  readonly service: 'service-by-name' | 'service-by-address';
  /** An address of this machine. */
  readonly host: string;
  /** Flags of the API server. */
  readonly flags: Readonly<Record<string, string>>;
}

const BY_NAME: Routing = { service: 'service-by-name', host: '127.0.0.1', flags: {} };

interface Made {
  readonly routing: Routing;
  readonly folder: string;
  readonly plane: ControlPlane;
  readonly program: ServingProgram;
  readonly proxy: TcpProxy;
  readonly serverCa: string;
}

/** Writes a certificate for both doors and its key; returns their authority. */
async function writeServingCertificate(folder: string, host: string): Promise<string> {
  const authority = await TinyCA.create();
  const { certPem, keyPem } = await authority.newServingCert(host, SERVER_NAME);
  await writeFile(join(folder, 'tls.crt'), certPem);
  await writeFile(join(folder, 'tls.key'), keyPem, { mode: 0o600 });
  return authority.certificatePem;
}

/** The WDS and the program, with everything between them. */
export class AggregatedWorld {
  readonly #made: Made;
  readonly #controllers: ChildProcess[] = [];

  private constructor(made: Made) {
    this.#made = made;
  }

  /** Starts everything, and waits until the WDS serves the API. */
  static async start(name: string, routing = BY_NAME): Promise<AggregatedWorld> {
    const folder = await mkdtemp(join(tmpdir(), `starfold-${name}-`));
    const plane = await startControlPlane('wds', routing.flags);
    const program = new ServingProgram(folder);
    try {
      const serverCa = await writeServingCertificate(folder, routing.host);
      // The API server writes it soon after it is ready.
      await eventually(async () => (await read(plane.cluster, AUTHENTICATION)) !== undefined, true);
      await writeAccountKubeconfig(plane.cluster, join(folder, 'kubeconfig'));
      const proxy = await startTcpProxy(await program.start(), routing.host);
      const world = new AggregatedWorld({ routing, folder, plane, program, proxy, serverCa });
      await world.doorsOf(plane.cluster, 'admin');
      await applyObjects(plane.cluster, await rbacObjects('status-readers'));
      await world.install();
      return world;
    } catch (error) {
      await program.end('SIGKILL');
      await plane.dispose();
      throw error;
    }
  }

  /** The WDS, with the credentials of an administrator. */
  get wds(): Cluster {
    return this.#made.plane.cluster;
  }

  /** The way to the program. Where it is cut, the program seems to be down. */
  get proxy(): TcpProxy {
    return this.#made.proxy;
  }

  get program(): ServingProgram {
    return this.#made.program;
  }

  get plane(): ControlPlane {
    return this.#made.plane;
  }

  /** A path in the folder of this world. */
  path(...names: readonly string[]): string {
    return join(this.#made.folder, ...names);
  }

  /** The certificate of the server of the API, its key, and their authority. */
  get tls() {
    const files = { certFile: this.path('tls.crt'), keyFile: this.path('tls.key') };
    return { files, caPem: this.#made.serverCa };
  }

  /** The API at Starfold's own address, for a user of the WDS. */
  directly(user: Cluster): Cluster {
    const { proxy, serverCa } = this.#made;
    return { ...user, server: proxy.server, caPem: serverCa };
  }

  /** Writes the kubeconfigs of a user. */
  async doorsOf(user: Cluster, name: string): Promise<Doors> {
    await mkdir(this.path('users'), { recursive: true });
    const doors = { wds: this.path('users', name), direct: this.path('users', `${name}-direct`) };
    await writeFile(doors.wds, kubeconfigOf([user]), { mode: 0o600 });
    await writeFile(doors.direct, kubeconfigOf([this.directly(user)]), { mode: 0o600 });
    return doors;
  }

  /** The administrator's kubeconfigs. */
  get admin(): Doors {
    return { wds: this.path('users', 'admin'), direct: this.path('users', 'admin-direct') };
  }

  /** Runs kubectl with a kubeconfig, by default the administrator's of the WDS; its cache of discovery is in this world. */
  kubectl(args: readonly string[], config = this.admin.wds): Promise<Said> {
    const cache = ['--cache-dir', `${config}-cache`];
    const options = { maxBuffer: 64 * 1024 * 1024 };
    return promisify(execFile)(
      clusters().kubectlPath,
      ['--kubeconfig', config, ...cache, ...args],
      options,
    );
  }

  /** Starts kubectl, and leaves it running. */
  spawnKubectl(args: readonly string[], config = this.admin.wds): ChildProcess {
    return spawn(clusters().kubectlPath, ['--kubeconfig', config, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** Gives kubectl a text on its standard input; returns what it prints. */
  async kubectlWith(input: string, args: readonly string[], config?: string): Promise<string> {
    const child = this.spawnKubectl(args, config);
    let [out, fault] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      fault += text;
    });
    child.stdin?.end(input);
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(fault);
    return out;
  }

  /** Applies a file of infra/manifests/api-service, with what its head says is to be changed. */
  async #applyManifest(name: string, changes: Readonly<Record<string, string>>): Promise<void> {
    let text = await readFile(`infra/manifests/api-service/${name}.yaml`, 'utf8');
    for (const [placeholder, value] of Object.entries(changes)) {
      if (!text.includes(placeholder)) throw new Error(`${name}.yaml does not have ${placeholder}`);
      text = text.replaceAll(placeholder, value);
    }
    await this.kubectlWith(text, ['apply', '--server-side', '-f', '-']);
  }

  /** Creates the APIService, as docs/api.md says, and waits until the API server has found it available. */
  async install(): Promise<void> {
    const { routing, proxy, serverCa } = this.#made;
    const { port } = new URL(proxy.server);
    await this.#applyManifest(
      routing.service,
      routing.service === 'service-by-name'
        ? { 'starfold.example.com': 'localhost' }
        : { '192.0.2.10': routing.host, 8443: port },
    );
    const caBundle = Buffer.from(serverCa).toString('base64');
    await this.#applyManifest('api-service', { 8443: port, CA_BUNDLE: caBundle });
    const wait = ['wait', 'apiservice', APISERVICE, '--for=condition=Available', '--timeout=50s'];
    await this.kubectl(wait);
  }

  /** Starts the program again after its end, and leads the proxy to it. */
  async startProgram(): Promise<void> {
    const { program, proxy } = this.#made;
    proxy.aim(await program.start());
  }

  /** Starts some of Kubernetes' controllers in the WDS. */
  async startControllers(...names: readonly string[]): Promise<void> {
    const folder = await assetFolder({
      script: 'build-kube.sh',
      variables: ['KUBE_BINS=kube-controller-manager kube-scheduler'],
      without: 'kube-controller-manager: put it into the folder that KUBEBUILDER_ASSETS names',
    });
    const alone = ['--leader-elect=false', '--secure-port=0'];
    const args = [`--kubeconfig=${this.admin.wds}`, ...alone, `--controllers=${names.join(',')}`];
    const child = spawn(join(folder, 'kube-controller-manager'), args, { stdio: 'ignore' });
    this.#controllers.push(child);
  }

  async dispose(): Promise<void> {
    const { folder, plane, program, proxy } = this.#made;
    for (const child of this.#controllers) await end(child, 'SIGKILL');
    await program.end('SIGTERM');
    await proxy.cut();
    await plane.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}
