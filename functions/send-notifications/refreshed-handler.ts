import { messageOf } from '#shared/errors.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import { unusableNotifications } from './messages.ts';

/** A document that may change while the function runs. */
export interface RefreshedDocument {
  /** Reads the text of the document. Throws if it cannot be read. */
  readonly read: () => Promise<string>;
  /** Makes the handler for a text. Throws if the text has faults. */
  readonly open: (text: string) => SqsHandler;
  readonly telemetry: Pick<Telemetry, 'warn'>;
}

/**
 * A handler by the document as it is at each invocation. As long as the document cannot be read, or has faults, the last one
 * counts, and the log has the reason.
 *
 * @throws the error of the document if there is no last one: the messages are delivered again
 */
export function refreshedHandler({ read, open, telemetry }: RefreshedDocument): SqsHandler {
  let opened: { readonly text: string; readonly handler: SqsHandler } | undefined;
  const refresh = async (): Promise<SqsHandler> => {
    try {
      const text = await read();
      if (opened?.text !== text) opened = { text, handler: open(text) };
    } catch (error) {
      telemetry.warn(unusableNotifications(opened === undefined), {
        error: messageOf(error),
      });
      if (opened === undefined) throw error;
    }
    return opened.handler;
  };
  return async (event, context) => (await refresh())(event, context);
}
