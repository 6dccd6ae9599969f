import type { Server } from 'node:https';
import { createFollowedFiles } from '#shared/adapters/http/cached-file.ts';
import { formerCertificate } from './messages.ts';
import { type CertificateFiles, readCertificate } from './tls-files.ts';

/** How a certificate is followed. */
export interface CertificateOptions {
  /** The time between two checks, in milliseconds. */
  readonly everyMs: number;
  /**
   * Called with the problem if changed files cannot be used (the previous certificate stays in use), and with
   * `undefined` when it is solved.
   */
  readonly onFault: (fault: string | undefined) => void;
}

/**
 * Sets the certificate and key of a server from files before it listens. Until the server closes, each new pair is used
 * for later connections.
 *
 * @throws IntakeError if the files cannot be used
 */
export function followCertificate(
  server: Server,
  files: CertificateFiles,
  { everyMs, onFault }: CertificateOptions,
): void {
  const look = createFollowedFiles({
    files: [files.certFile, files.keyFile],
    make: () => server.setSecureContext(readCertificate(files)),
    onFault: (fault) => onFault(fault && formerCertificate(fault)),
  });
  server.once('listening', () => {
    const looking = setInterval(look, everyMs);
    looking.unref();
    server.once('close', () => clearInterval(looking));
  });
}
