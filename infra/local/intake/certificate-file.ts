import { statSync } from 'node:fs';
import type { Server } from 'node:https';
import type { IntakeError } from './intake-error.ts';
import { type CertificateFiles, readCertificate } from './tls-files.ts';

/** What follows a certificate is made of. */
export interface CertificateOptions {
  /** Between two looks, in milliseconds. */
  readonly everyMs: number;
  /** Told what is wrong with the files since they have changed (the certificate before counts on), and `undefined` when it is mended. */
  readonly onFault: (fault: string | undefined) => void;
}

function stateOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [ino, size, mtimeMs, ctimeMs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code); // The file system's.
  }
}

/** A certificate and its key, which are read again when one of the files has changed. */
export class CertificateFile {
  readonly #files: CertificateFiles;
  readonly #options: CertificateOptions;
  #state: string;
  #fault: string | undefined;
  /** What stood in the files at first. */
  readonly pair: ReturnType<typeof readCertificate>;

  /** @throws IntakeError when they cannot be used. */
  constructor(files: CertificateFiles, options: CertificateOptions) {
    this.#files = files;
    this.#options = options;
    // Before they are read: what changes meanwhile is seen at the first look.
    this.#state = this.#look();
    this.pair = readCertificate(files);
  }

  #look(): string {
    return [this.#files.certFile, this.#files.keyFile].map(stateOf).join('\n');
  }

  /** Gives the server each new pair for the connections to come, from when it listens until it closes. */
  follow(server: Server): void {
    server.once('listening', () => {
      const looking = setInterval(() => this.#refresh(server), this.#options.everyMs);
      looking.unref();
      server.once('close', () => clearInterval(looking));
    });
  }

  #refresh(server: Server): void {
    const state = this.#look();
    if (state === this.#state) return;
    this.#state = state;
    try {
      server.setSecureContext(readCertificate(this.#files));
      this.#tell(undefined);
    } catch (error) {
      const { message } = error as IntakeError; // What was good a moment ago cannot be refused by the server.
      this.#tell(`${message}; until then the certificate before it counts`);
    }
  }

  #tell(fault: string | undefined): void {
    if (fault === this.#fault) return;
    this.#fault = fault;
    this.#options.onFault(fault);
  }
}
