import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { unreadableFile } from '#shared/adapters/http/messages.ts';
import { IntakeError } from './intake-error.ts';
import { fileFault, notKeyOf, notPem } from './messages.ts';

/** Paths of a certificate, followed by its chain to the authority, and of its key. Both are PEM. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

function read(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // The file system's.
    throw new IntakeError(fileFault(option, file, unreadableFile(code)), { cause: error });
  }
}

function check(option: string, file: string, content: { cert: string } | { key: string }): void {
  try {
    createSecureContext(content);
  } catch (error) {
    const { message } = error as Error; // OpenSSL's, which names no content.
    throw new IntakeError(fileFault(option, file, notPem(message)), { cause: error });
  }
}

/**
 * Reads a certificate and its key.
 *
 * @throws IntakeError if one of them cannot be read or used, or if they do not match
 */
export function readCertificate({ certFile, keyFile }: CertificateFiles): {
  readonly cert: string;
  readonly key: string;
} {
  const pair = { cert: read('--tls-cert', certFile), key: read('--tls-key', keyFile) };
  check('--tls-cert', certFile, { cert: pair.cert });
  check('--tls-key', keyFile, { key: pair.key });
  try {
    createSecureContext(pair);
  } catch (error) {
    const fault = fileFault('--tls-key', keyFile, notKeyOf(certFile));
    throw new IntakeError(fault, { cause: error });
  }
  return pair;
}
