import { STARTING } from '#local/intake/messages.ts';
import { type Intake, startIntake } from '#local/intake/server.ts';
import { openTokenBook, type TokenBook } from '#local/intake/token-book.ts';
import type { Stack } from '#local/stack/stack.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import {
  CERTIFICATE_IN_USE,
  eventsFault,
  TOKENS_IN_USE,
  takesEvents,
  unencrypted,
} from './messages.ts';
import type { Monitor } from './monitor.ts';
import type { Output } from './output.ts';
import { type IntakePlan, isLoopback } from './plan-intake.ts';

/** Where a user is informed about events by HTTP. */
interface Outputs {
  readonly monitor: Pick<Monitor, 'problem' | 'message'>;
  readonly output: Pick<Output, 'say'>;
}

/** The server that receives events by HTTP. */
export interface Listening extends Intake {
  /** The WECs that have a token of their own. */
  readonly wecs: readonly string[];
  /** From now on, events go to this stack. Until then, senders have to retry. */
  serve(stack: Pick<Stack, 'takeEvents' | 'stateId'>): void;
}

function openTokens(
  { tokensFile }: IntakePlan,
  wds: string,
  { monitor, output }: Outputs,
): Promise<TokenBook> {
  return openTokenBook({
    file: tokensFile,
    wds,
    onFault: (fault) => {
      monitor.problem('tokens', fault);
      output.say('tokens', fault ?? TOKENS_IN_USE);
    },
  });
}

function warnOfPlain(url: string, { monitor, output }: Outputs): void {
  const text = unencrypted(url);
  monitor.problem('listen', text);
  output.say('listen warning', text);
}

/**
 * Receives events by HTTP, and shows the address. Later errors in the tokens file are shown too.
 *
 * @param wds name of the WDS of the stack
 * @throws IntakeError if tokens, address, certificate or key cannot be used
 */
export async function startListening(
  plan: IntakePlan,
  wds: string,
  outputs: Outputs,
): Promise<Listening> {
  const { host, port, tls } = plan;
  const tokens = await openTokens(plan, wds, outputs);
  let stack: Pick<Stack, 'takeEvents' | 'stateId'> | undefined;
  const intake = await startIntake({
    host,
    port,
    ...(tls === undefined ? {} : { tls }),
    tokens,
    take: async (source, bodies) => {
      if (stack === undefined) throw new QueueUnavailableError(STARTING);
      await stack.takeEvents(source, bodies);
    },
    isReady: () => stack !== undefined,
    state: () => stack?.stateId,
    onCertificateFault: (fault) => {
      outputs.monitor.problem('certificate', fault);
      outputs.output.say('certificate', fault ?? CERTIFICATE_IN_USE);
    },
    onError: (error) => outputs.monitor.message(eventsFault(error)),
  });
  outputs.output.say('listen', takesEvents(intake.url));
  if (tls === undefined && !isLoopback(host)) warnOfPlain(intake.url, outputs);
  return {
    ...intake,
    wecs: tokens.wecs(),
    serve: (served) => {
      stack = served;
    },
  };
}
