import type { Observability } from '#shared/runtime/batch.ts';

type Log = (message: string, extra: Readonly<Record<string, unknown>>) => void;

/** The log of the functions, for forwarders and the binding resolver. */
export function forwarderLogger({ logger }: Observability): Record<'info' | 'warn' | 'error', Log> {
  const at =
    (level: 'info' | 'warn' | 'error'): Log =>
    (message, extra) =>
      logger[level](message, { ...extra });
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
