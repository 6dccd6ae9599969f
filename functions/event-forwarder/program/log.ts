import { createObservability } from '#shared/runtime/observability.ts';
import type { ForwarderConfig } from './config.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The structured log of the process. */
export interface ProgramLog {
  info(message: string, fields: Fields): void;
  warn(message: string, fields: Fields): void;
  error(message: string, fields: Fields): void;
  /** Sets the epoch that each line contains from now on. `undefined`: none. */
  setEpoch(epoch: number | undefined): void;
}

const LEVELS = { debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const;

/** The structured log of the process, on standard output. Each line contains the source, this process and its epoch. */
export function createLog(
  { source, logLevel }: Pick<ForwarderConfig, 'source' | 'logLevel'>,
  identity: string,
): ProgramLog {
  const { logger } = createObservability({
    service: 'event-forwarder',
    logLevel: LEVELS[logLevel],
    stream: process.stdout,
    metrics: 'off',
  });
  const own = { source: `${source.type}/${source.name}`, identity };
  logger.appendKeys(own);
  const write =
    (level: 'info' | 'warn' | 'error') =>
    (message: string, fields: Fields): void =>
      logger[level](message, { ...fields, ...own });
  return {
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    setEpoch: (epoch) => {
      if (epoch === undefined) logger.removeKeys(['epoch']);
      else logger.appendKeys({ epoch });
    },
  };
}
