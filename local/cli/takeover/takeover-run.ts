import { InputError } from '#local/cli/terminal/cli-error.ts';
import type { Question } from '#local/cli/terminal/question.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { loadUserKubeConfig } from '#local/start/user-kube-config.ts';
import { writerIdentity } from '#local/start/writer-identity.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { plainText } from '#shared/core/plain-text.ts';
import {
  type MarkedFor,
  markedFor,
  markedLease,
  WRITER_LEASE,
  writerName,
  writerText,
} from '#shared/doctor/writer-mark.ts';
import { ApiConflictError, ApiForbiddenError, ApiUnavailableError } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { TAKEOVER } from './messages.ts';

/** The options of `starfold takeover`. */
export interface TakeoverOptions {
  readonly context: string;
  readonly kubeconfig?: string;
  /** If absent, the identity of `starfold start` with this state. */
  readonly identity?: string;
  /** Path of the state file. */
  readonly state: string;
  readonly yes?: boolean;
}

const REQUEST_TIMEOUT_MS = 10_000;

/** The new writer of a cluster, and its confirmation. */
export interface Takeover {
  /** The name of the cluster in messages. */
  readonly context: string;
  readonly api: Pick<ObjectApi, 'get' | 'create' | 'replace'>;
  readonly identity: string;
  readonly runsAs: string;
  /** Whether this holder may be replaced. */
  readonly confirmed: (holder: MarkedFor) => Promise<boolean>;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** An answer of the API server as an error with a remedy. */
function explainedAnswer(error: unknown, context: string): unknown {
  const to = { cause: error };
  if (error instanceof ApiConflictError) return new InputError(TAKEOVER.changed(context), to);
  if (error instanceof ApiForbiddenError)
    return new InputError(TAKEOVER.forbidden(context, error.message), to);
  if (error instanceof ApiUnavailableError)
    return new InputError(TAKEOVER.unavailable(context, error.message), to);
  return error;
}

async function mark(takeover: Takeover): Promise<MarkedFor | undefined> {
  const { api, identity, runsAs, nowMs } = takeover;
  const to = { identity, runsAs };
  const lease = await api.get(WRITER_LEASE);
  if (lease === undefined) {
    await api.create(WRITER_LEASE, markedLease(undefined, to, nowMs));
    return undefined;
  }
  const holder = markedFor(lease);
  if (holder.identity === identity) return holder;
  if (!(await takeover.confirmed(holder)))
    throw new InputError(TAKEOVER.declined(writerText(holder)));
  await api.replace(WRITER_LEASE, markedLease(lease, to, nowMs));
  return holder;
}

/**
 * Marks a cluster for another installation. The write requires the version that was read, so a change in between is a
 * conflict.
 *
 * @returns the previous writer: `undefined` if there was none; the identity itself if nothing had to be done
 * @throws InputError if this was not confirmed, the object was changed meanwhile, it is not allowed, or there was no answer;
 *   otherwise what the API throws
 */
export async function takeOver(takeover: Takeover): Promise<MarkedFor | undefined> {
  try {
    return await mark(takeover);
  } catch (error) {
    throw explainedAnswer(error, takeover.context);
  }
}

/** Asks at the terminal, unless this is disabled. */
function confirmation(
  { yes = false, context }: TakeoverOptions,
  identity: string,
  question: Question,
): Takeover['confirmed'] {
  return async (holder) => {
    if (yes) return true;
    if (!question.isPossible)
      throw new InputError(TAKEOVER.noTerminal(context, writerText(holder), identity));
    return question.ask(TAKEOVER.question(context, writerText(holder), identity));
  };
}

function resultText(context: string, identity: string, before: MarkedFor | undefined): string {
  if (before === undefined) return TAKEOVER.first(context, identity);
  return before.identity === identity
    ? TAKEOVER.same(context, identity)
    : TAKEOVER.replaced(context, writerName(before), identity);
}

/**
 * `starfold takeover`.
 *
 * @throws InputError for errors that the user can correct; KubeConfigError
 */
export async function runTakeover(
  options: TakeoverOptions,
  { terminal, question }: { readonly terminal: Terminal; readonly question: Question },
): Promise<void> {
  const { context, kubeconfig, state, identity = writerIdentity(state) } = options;
  const api = createKubernetesApi(loadUserKubeConfig(kubeconfig, context), {
    context,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    fieldManager: 'starfold',
  });
  const before = await takeOver({
    context,
    api,
    identity,
    runsAs: TAKEOVER.runsAs,
    confirmed: confirmation(options, identity, question),
    nowMs: terminal.clock(),
  });
  terminal.out(`${plainText(resultText(context, identity, before))}\n`);
}
