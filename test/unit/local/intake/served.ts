import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IntakeOptions, startIntake } from '#local/intake/server.ts';
import type { CertificateFiles } from '#local/intake/tls-files.ts';
import { openTokenBook } from '#local/intake/token-book.ts';
import { sourceText } from '#shared/core/source-text.ts';
import type { SelfSigned } from '#test/fakes/self-signed.ts';
import { tokenOf, writeTokens } from '#test/fakes/token-file.ts';

/** An intake that listens, and what it has taken. */
export interface ServedIntake extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly tokensFile: string;
  /** `wec/a: body` of each message, in order. */
  readonly taken: readonly string[];
  readonly errors: readonly unknown[];
  /** A file with the token of a source. */
  tokenFile(source: string): string;
  stop(): Promise<void>;
}

/** Starts an intake on a free port of 127.0.0.1, with tokens for wec/a, wec/b and wec/*. */
export async function serveIntake(
  options: Partial<Omit<IntakeOptions, 'tokens'>> = {},
): Promise<ServedIntake> {
  const folder = mkdtempSync(join(tmpdir(), 'starfold-intake-'));
  const tokensFile = writeTokens(join(folder, 'tokens.yaml'), ['wec/a', 'wec/b', 'wec/*']);
  const taken: string[] = [];
  const errors: unknown[] = [];
  const intake = await startIntake({
    host: '127.0.0.1',
    port: 0,
    tokens: await openTokenBook({ file: tokensFile, wds: 'wds1', onFault: () => undefined }),
    take: async (source, bodies) => {
      taken.push(...bodies.map((body) => `${sourceText(source)}: ${body}`));
    },
    onError: (error) => errors.push(error),
    ...options,
  });
  return {
    url: intake.url,
    port: Number(new URL(intake.url).port),
    folder,
    tokensFile,
    taken,
    errors,
    tokenFile: (source) => {
      const file = join(folder, `token-${source.replaceAll(/\W/g, '-')}`);
      writeFileSync(file, tokenOf(source));
      return file;
    },
    stop: () => intake.stop(),
    async [Symbol.asyncDispose]() {
      await intake.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Writes a certificate and its key into a folder, and gives their paths. */
export function pairIn(folder: string, { cert, key }: SelfSigned): CertificateFiles {
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key);
  return files;
}

/** Posts events; the status and the text of the answer. */
export async function post(
  { url }: Pick<ServedIntake, 'url'>,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly [status: number, text: string]> {
  const authorization = `Bearer ${tokenOf('wec/a')}`;
  const response = await fetch(`${url}/v1/events`, {
    method: 'POST',
    headers: { authorization, ...headers },
    body,
  });
  return [response.status, await response.text()];
}
