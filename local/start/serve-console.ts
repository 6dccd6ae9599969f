import { type StatusServer, startStatusServer } from '#local/api/status-server.ts';
import { PageApi } from '#local/console/page-api.ts';
import type { PageFiles } from '#local/console/page-files.ts';
import { StatusProxy } from '#local/console/status-proxy.ts';
import type { Upstream } from '#local/console/upstream.ts';
import { addressFault } from '#local/intake/address-error.ts';
import { createFailure } from '#shared/api/failure.ts';
import { ANYBODY } from '#shared/api/open-wds.ts';
import { StatusError } from '#shared/api/status-error.ts';
import { AppError } from '#shared/errors.ts';
import { NO_WDS_CONTEXT } from './messages.ts';

/** The page cannot be served at the requested address. The message names the address, the problem and the remedy. */
export class ConsoleError extends AppError {
  override readonly name = 'ConsoleError';
  readonly code = 'console';
  readonly retryable = false;
}

/** From where the page is served. */
export interface ConsoleOptions {
  /** 0 means any free port. */
  readonly port: number;
  readonly page: PageFiles;
  /** A server of the API of what each WEC reports, with the credentials of the user. */
  readonly statuses: Upstream;
  /** The WDS with the credentials of the user. Absent if it is not known. */
  readonly wds?: Upstream;
  /** Called with errors that neither the page nor a server caused. */
  readonly onError: (error: unknown) => void;
}

const HOST = '127.0.0.1';

function withoutWds(): never {
  throw new StatusError({ code: 404, reason: 'NotFound' }, NO_WDS_CONTEXT);
}

/**
 * Serves the page to this machine, and passes its requests on with the credentials of the user.
 *
 * @throws ConsoleError if it cannot listen at the port
 */
export async function serveConsole(options: ConsoleOptions): Promise<StatusServer> {
  const { port, page, statuses: upstream, wds, onError } = options;
  const failure = createFailure(onError);
  const statuses = new StatusProxy({ upstream, failure });
  const api = new PageApi({ statuses, wds: () => wds ?? withoutWds(), failure });
  const protection = { type: 'own-machine', user: ANYBODY, page } as const;
  try {
    return await startStatusServer({ host: HOST, port, api, protection, onError });
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new ConsoleError(addressFault({ host: HOST, port }, '--port', error), { cause: error });
  }
}
