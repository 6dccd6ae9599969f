import type { Server } from 'node:https';
import { createFollowedFiles } from '#shared/adapters/http/cached-file.ts';
import { type CertificateFiles, readCertificate } from './tls-files.ts';

/** How a certificate is followed. */
export interface CertificateOptions {
  /** Between two looks, in milliseconds. */
  readonly everyMs: number;
  /** Told what is wrong with the files since they have changed (the certificate before counts on), and `undefined` when it is mended. */
  readonly onFault: (fault: string | undefined) => void;
}

/**
 * Gives a server, before it listens, the certificate and key of files; until it closes also each new pair, for the
 * connections to come.
 *
 * @throws IntakeError when they cannot be used.
 */
export function followCertificate(
  server: Server,
  files: CertificateFiles,
  { everyMs, onFault }: CertificateOptions,
): void {
  const look = createFollowedFiles({
    files: [files.certFile, files.keyFile],
    make: () => server.setSecureContext(readCertificate(files)),
    onFault: (fault) => onFault(fault && `${fault}; until then the certificate before it counts`),
  });
  server.once('listening', () => {
    const looking = setInterval(look, everyMs);
    looking.unref();
    server.once('close', () => clearInterval(looking));
  });
}
