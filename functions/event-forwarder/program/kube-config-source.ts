import { accessSync, constants } from 'node:fs';
import type { KubeConfig } from '@kubernetes/client-node';
import { createFollowedFiles } from '#shared/adapters/http/cached-file.ts';
import { unreadableFile } from '#shared/adapters/http/messages.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { kubeConfigFiles, withTokenFiles } from '#shared/adapters/kubernetes/token-files.ts';
import { KubeConfigError } from '#shared/errors.ts';
import type { ProgramLog } from './log.ts';

/** The kubeconfig and its context. `null` as in the configuration. */
interface KubeConfigChoice {
  readonly kubeconfig: string | null;
  readonly context: string | null;
}

/** The dependencies of the reader. */
interface KubeConfigWorld {
  /** The environment of the process, because the client reads it too. */
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly log: Pick<ProgramLog, 'info' | 'warn'>;
}

function unreadable(file: string, error: unknown): KubeConfigError {
  const { code } = error as NodeJS.ErrnoException; // accessSync throws system errors, which carry a code.
  return new KubeConfigError(file, unreadableFile(code), { cause: error });
}

/** Checks that a file can be read. Without the file, the client would use other available credentials: those of the pod. */
function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/**
 * Reads a kubeconfig, and reads it again whenever one of its files has changed. If a changed kubeconfig cannot be used, the
 * previous one stays in force. Each failure is logged once, and so is each kubeconfig that is read.
 *
 * @returns a function that returns the current kubeconfig and never rejects
 * @throws KubeConfigError if there is no usable kubeconfig at the start
 */
export function createKubeConfigSource(
  { kubeconfig, context }: KubeConfigChoice,
  { environment, log }: KubeConfigWorld,
): () => Promise<KubeConfig> {
  const files = kubeConfigFiles(kubeconfig ?? undefined, environment);
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
          'the kubeconfig cannot be read again, so the former one is used: put a complete file there',
          { files, reason },
        );
    },
  });
  return async () => current();
}
