import { existsSync } from 'node:fs';
import type { KubeConfig } from '@kubernetes/client-node';
import { DEFAULT_API_KUBECONFIG } from '#local/cli/state/default-state.ts';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import { clusterUpstream } from '#local/console/cluster-upstream.ts';
import type { Upstream } from '#local/console/upstream.ts';
import { loadUserKubeConfig } from '#local/start/user-kube-config.ts';
import { ApiUnavailableError, AppError, KubeConfigError, messageOf } from '#shared/errors.ts';
import { type Door, type DoorAnswer, type DoorRequest, DoorUnavailableError } from './door.ts';
import { noAnswer, noKubeconfig, untrusted } from './messages.ts';

/** Where the API is found. */
export interface LiveDoorOptions {
  /** Default: that of `starfold start --api`, if it is there and no context is given, otherwise as kubectl. */
  readonly kubeconfig?: string;
  /** Default: the current one. */
  readonly context?: string;
  /** The options of the command that read without a server. Default: `--state, --stage, -f`. */
  readonly others?: string;
}

const OTHERS = '--state, --stage, -f';

const JSON_TYPE = 'application/json';

function kubeconfigOf({ kubeconfig, context }: LiveDoorOptions): string | undefined {
  if (kubeconfig !== undefined || context !== undefined) return kubeconfig;
  return existsSync(DEFAULT_API_KUBECONFIG) ? DEFAULT_API_KUBECONFIG : undefined;
}

/** @throws InputError that names the other doors, if there is no kubeconfig at all */
function loaded(
  kubeconfig: string | undefined,
  { context, others = OTHERS }: LiveDoorOptions,
): KubeConfig {
  try {
    return loadUserKubeConfig(kubeconfig, context);
  } catch (error) {
    if (!(error instanceof KubeConfigError)) throw error;
    const isChosen = kubeconfig !== undefined || context !== undefined;
    const { message } = error;
    throw new InputError(isChosen ? message : noKubeconfig(message, others), { cause: error });
  }
}

/** OpenSSL's and Node's codes of certificates that do not prove who the server is. */
const DISTRUST = /CERT|UNABLE_TO_VERIFY/;

/** Whether a certificate is why there is no answer: a retry does not help. */
function isDistrust(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return DISTRUST.test(String(Object(cause).code));
}

/** A door to a server of the API, through a kubeconfig: TLS, certificates, tokens and exec plugins are those of the kubeconfig. */
class LiveDoor implements Door {
  readonly name: string;
  readonly others: string;
  readonly namespace?: string;
  readonly #upstream: Upstream;
  readonly #file: string | undefined;
  readonly #closing = new AbortController();

  constructor(kubeConfig: KubeConfig, file: string | undefined, others = OTHERS) {
    this.others = others;
    const context = kubeConfig.getContextObject(kubeConfig.getCurrentContext());
    // Absent if it is empty.
    if (context?.namespace) this.namespace = context.namespace;
    this.#upstream = clusterUpstream(kubeConfig);
    this.name = this.#upstream.name;
    this.#file = file;
  }

  #unavailable(error: unknown): InputError {
    const reason = error instanceof ApiUnavailableError ? error.reason : messageOf(error);
    if (isDistrust(error))
      return new InputError(untrusted(this.name, reason, this.#file), { cause: error });
    const ways = { file: this.#file, others: this.others };
    return new DoorUnavailableError(noAnswer(this.name, reason, ways), { cause: error });
  }

  async ask({ query, accept = JSON_TYPE, signal, ...request }: DoorRequest): Promise<DoorAnswer> {
    const ends = [signal, this.#closing.signal].filter((one) => one !== undefined);
    const asked = { ...request, query: query ?? new URLSearchParams(), accept };
    try {
      const answer = await this.#upstream.ask({ ...asked, signal: AbortSignal.any(ends) });
      return { ...answer, body: this.#pieces(answer) };
    } catch (error) {
      if (error instanceof ApiUnavailableError) throw this.#unavailable(error);
      if (error instanceof AppError) throw new InputError(error.message, { cause: error });
      throw error;
    }
  }

  async *#pieces({ body }: Pick<DoorAnswer, 'body'>): AsyncGenerator<string> {
    try {
      yield* body;
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }
}

/**
 * Opens the door to a server of the API. The server is not contacted yet.
 *
 * @throws InputError if there is no usable kubeconfig
 */
export function openLiveDoor(options: LiveDoorOptions): Door {
  const kubeconfig = kubeconfigOf(options);
  return new LiveDoor(loaded(kubeconfig, options), kubeconfig, options.others);
}
