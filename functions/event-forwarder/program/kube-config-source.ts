import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { createCachedFiles } from '#shared/adapters/http/cached-file.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { withTokenFiles } from '#shared/adapters/kubernetes/token-files.ts';
import type { ProgramLog } from './program.ts';

/** Which kubeconfig, and which context of it; `null` as in the configuration. */
interface KubeConfigPlace {
  readonly kubeconfig: string | null;
  readonly context: string | null;
}

/** What reading it needs of the world. */
interface KubeConfigWorld {
  /** That of the process: the client reads it, too. */
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly log: Pick<ProgramLog, 'info' | 'warn'>;
}

/** The files that a kubeconfig is read from, in kubectl's order; none: it is made of the pod's service account. */
function filesOf(
  kubeconfig: string | null,
  { KUBECONFIG: listed, HOME: home }: Readonly<NodeJS.ProcessEnv>,
): readonly string[] {
  if (kubeconfig !== null) return [kubeconfig];
  if (listed) return listed.split(delimiter).filter((file) => file !== '');
  const usual = home ? join(home, '.kube', 'config') : undefined;
  return usual !== undefined && existsSync(usual) ? [usual] : [];
}

/**
 * Reads a kubeconfig, and again whenever one of its files has changed. One that cannot be used then leaves the former in
 * force; the log tells of that once, and of each that is read.
 *
 * @returns gives the kubeconfig as it is now; it never rejects.
 * @throws KubeConfigError when there is no usable one at the start.
 */
export function createKubeConfigSource(
  { kubeconfig, context }: KubeConfigPlace,
  { environment, log }: KubeConfigWorld,
): () => Promise<KubeConfig> {
  const files = filesOf(kubeconfig, environment);
  const load = (): KubeConfig =>
    withTokenFiles(loadKubeConfig(kubeconfig ?? undefined, context ?? undefined), files);
  let current = load();
  let fault: string | undefined;
  let reads = 0;
  const read = createCachedFiles(files, () => {
    const loaded = load();
    reads += 1;
    if (reads > 1 || fault !== undefined) log.info('the kubeconfig was read again', { files });
    fault = undefined;
    return loaded;
  });
  return async () => {
    try {
      current = await read();
      fault = undefined;
    } catch (error) {
      const { message } = error as Error; // loadKubeConfig and the system throw errors.
      if (message !== fault)
        log.warn(
          'the kubeconfig cannot be read again, the former one is used: put a whole file there',
          {
            files,
            reason: message,
          },
        );
      fault = message;
    }
    return current;
  };
}
