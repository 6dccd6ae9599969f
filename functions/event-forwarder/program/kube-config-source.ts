import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { createFollowedFiles } from '#shared/adapters/http/cached-file.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { withTokenFiles } from '#shared/adapters/kubernetes/token-files.ts';
import { KubeConfigError } from '#shared/errors.ts';
import type { ProgramLog } from './log.ts';

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

function unreadable(file: string, error: unknown): KubeConfigError {
  const { code } = error as NodeJS.ErrnoException; // accessSync throws system errors, which carry a code.
  const fault = `it cannot be read (${code}): check the path and the right to read it`;
  return new KubeConfigError(file, fault, { cause: error });
}

/** Without its file, the client would take other credentials where it finds some: those of the pod. */
function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw unreadable(file, error);
  }
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
  const current = createFollowedFiles({
    files,
    make: () => {
      for (const file of files) checkReadable(file);
      return withTokenFiles(loadKubeConfig(kubeconfig ?? undefined, context ?? undefined), files);
    },
    onRead: () => log.info('the kubeconfig was read again', { files }),
    onFault: (reason) => {
      if (reason !== undefined)
        log.warn(
          'the kubeconfig cannot be read again, the former one is used: put a whole file there',
          { files, reason },
        );
    },
  });
  return async () => current();
}
