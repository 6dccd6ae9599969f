import { startStatusServer } from '#local/api/status-server.ts';
import { openWdsUsers } from '#local/api/wds-users.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { StatusApi } from '#shared/api/api.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import type { AggregatedWorld } from './world.ts';

/** Serves the API of a world in this process, from another source. Errors of the source are told to `onError`. */
export async function serveFrom(
  world: AggregatedWorld,
  source: StatusSource,
  onError: (error: unknown) => void,
) {
  const config = loadKubeConfig(world.path('kubeconfig'), 'wds');
  const wds = createKubernetesApi(config, { requestTimeoutMs: 5_000, fieldManager: 'starfold' });
  const { authenticate, authorities, stop: stopUsers } = await openWdsUsers({ wds, onError });
  const server = await startStatusServer({
    host: '127.0.0.1',
    port: 0,
    api: new StatusApi({ source, wds, now: Date.now, watch: true, onError }),
    protection: {
      type: 'tls',
      files: world.tls.files,
      authenticate,
      authorities,
      onCertificateFault: onError,
    },
    onError,
  });
  const stop = async (): Promise<void> => {
    stopUsers();
    await server.stop();
  };
  return { url: server.url, stop };
}
