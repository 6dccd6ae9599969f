import { describe, expect, it } from 'vitest';
import { unusableNotifications } from '#functions/send-notifications/messages.ts';
import { refreshedHandler } from '#functions/send-notifications/refreshed-handler.ts';
import { localContext } from '#local/stack/poller.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';

const CONTEXT = localContext('send-notifications', 'request-1');

/** A document, the handlers that were made of it, and the texts of those that were called. */
function bench() {
  const telemetry = createMemoryTelemetry();
  const state = { text: 'a', readable: true, opened: [] as string[], called: [] as string[] };
  const handler = refreshedHandler({
    read: async () => {
      if (!state.readable) throw new Error('no answer');
      return state.text;
    },
    open: (text) => {
      if (text === 'bad') throw new Error('it has a fault');
      state.opened.push(text);
      return async () => {
        state.called.push(text);
        return { batchItemFailures: [] };
      };
    },
    telemetry,
  });
  return { state, telemetry, run: () => handler({ Records: [] }, CONTEXT) };
}

describe('a handler by a document', () => {
  it('is made once for each text', async () => {
    const { state, run } = bench();
    await run();
    await run();
    state.text = 'b';
    await run();
    expect(state).toMatchObject({ opened: ['a', 'b'], called: ['a', 'a', 'b'] });
  });

  it('stays the last one while the document has faults or cannot be read, and the log says why', async () => {
    const { state, telemetry, run } = bench();
    await run();
    state.text = 'bad';
    await run();
    Object.assign(state, { text: 'b', readable: false });
    await run();
    state.readable = true;
    await run();
    expect(state.called).toEqual(['a', 'a', 'a', 'b']);
    expect(telemetry.lines.map(({ level, message, fields }) => [level, message, fields])).toEqual(
      ['it has a fault', 'no answer'].map((error) => [
        'warn',
        unusableNotifications(false),
        { error },
      ]),
    );
  });

  it('fails as long as there was never a document that can be used', async () => {
    const { state, telemetry, run } = bench();
    state.text = 'bad';
    await expect(run()).rejects.toThrow('it has a fault');
    expect(telemetry.lines).toMatchObject([{ message: unusableNotifications(true) }]);
    state.text = 'a';
    await run();
    expect(state.called).toEqual(['a']);
  });
});
