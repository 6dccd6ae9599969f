import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Supervisor } from '#test/e2e/controllers/supervisor.ts';

interface ArgoCdFiles {
  /** The folder of build-argocd.sh. */
  readonly assets: string;
  /** A kubeconfig whose current context is the cluster that Argo CD runs in. */
  readonly kubeconfig: string;
}

/** Of the line with which the repo-server says where it listens. */
const LISTENING = /argocd-repo-server is listening on (127\.0\.0\.1:\d+)/;

/** What is set outside a cluster: that it is as if inside one, and every path in the folder of the run. */
function environmentOf(folder: string, assets: string, name: string): Record<string, string> {
  return {
    ARGOCD_BINARY_NAME: name,
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_ASK_PASS_SOCK: join(folder, 'ask-pass.sock'),
    ARGOCD_GNUPGHOME: join(folder, 'gpg/keys'),
    ARGOCD_GPG_DATA_PATH: join(folder, 'gpg/source'),
    ARGOCD_TLS_DATA_PATH: join(folder, 'tls'),
    ARGOCD_SSH_DATA_PATH: join(folder, 'ssh'),
    ARGOCD_PLUGINSOCKFILEPATH: join(folder, 'plugins'),
    // With git and, of Argo CD itself, the script that its repo-server runs for each revision.
    PATH: `${join(assets, 'bin')}:/usr/local/bin:/usr/bin:/bin`,
    NO_PROXY: '*',
  };
}

/**
 * Starts redis, the repo-server and the application controller. They agree on no port beforehand: redis listens on a
 * socket, the repo-server says what port it was given, and the ports of metrics are any free ones.
 *
 * @throws Error when one of them does not start.
 */
export async function startArgoCd(
  { folder, run, until }: Supervisor,
  { assets, kubeconfig }: ArgoCdFiles,
): Promise<void> {
  const redis = join(folder, 'redis.sock');
  await run({
    name: 'redis-server',
    command: 'redis-server',
    args: ['--port', '0', '--unixsocket', redis, '--save', '', '--dir', folder],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  });
  const command = join(assets, 'argocd');
  const repoServerLog = await run({
    name: 'argocd-repo-server',
    command,
    args: [
      ...['--address', '127.0.0.1', '--port', '0'],
      ...['--metrics-address', '127.0.0.1', '--metrics-port', '0'],
      // Without TLS it refuses the default of the second.
      ...['--disable-tls', '--client-ca-path=', '--redis', redis],
    ],
    env: environmentOf(folder, assets, 'argocd-repo-server'),
  });
  const repoServer = await until(
    'the repo-server listens',
    async () => LISTENING.exec(await readFile(repoServerLog, 'utf8'))?.[1],
  );
  await run({
    name: 'argocd-application-controller',
    command,
    args: [
      ...['--kubeconfig', kubeconfig, '--namespace', 'argocd', '--metrics-port', '0'],
      ...['--repo-server', repoServer, '--repo-server-plaintext', '--redis', redis],
      // Else the health of resources stands in redis alone.
      '--persist-resource-health',
    ],
    env: {
      ...environmentOf(folder, assets, 'argocd-application-controller'),
      // Of the cluster that it runs in; the flag says where the Applications are.
      KUBECONFIG: kubeconfig,
    },
  });
}
