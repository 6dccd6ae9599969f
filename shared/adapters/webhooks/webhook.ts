import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { exchange } from '#shared/adapters/http/exchange.ts';
import { guardedLookup, localAddressKind } from '#shared/adapters/http/guarded-lookup.ts';
import { noAnswer } from '#shared/adapters/http/messages.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import {
  messageOf,
  ReceiverFailedError,
  ReceiverRefusedError,
  ReceiverUnavailableError,
} from '#shared/errors.ts';
import { type EventReceiver, LONGEST_PAUSE_SECONDS } from '#shared/ports/event-receiver.ts';
import { answersWith, asksForPause, localReceiver, redirects } from './messages.ts';

/** A receiver of events over HTTP. */
export interface WebhookOptions {
  /** Its name in errors. */
  readonly name: string;
  readonly url: string;
  /** The keys of the signatures, each `whsec_` and base64. Each makes a signature, so that a key can be replaced. */
  readonly secrets: readonly string[];
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /**
   * Connects only to addresses that belong neither to this machine nor to the services of its cloud. Default: to all, because the
   * operator's own machine may have receivers.
   */
  readonly onlyRemote?: boolean;
  /** How long the receiver may take to answer, in milliseconds. Default: 10 seconds. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
/** Answers of the class 4xx that say nothing about the event: the request took too long, or there were too many. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 429]);

/** The receiver wants no more messages (Standard Webhooks, "Consider HTTP response codes"). */
const GONE = 410;

/** The headers that identify and sign a message (Standard Webhooks, "Webhook Headers (Metadata)" and "Signature scheme"). */
function signedHeaders(
  { secrets, clock }: WebhookOptions,
  id: string,
  body: string,
): Readonly<Record<string, string>> {
  const now = new Date(clock());
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, now, body));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** Answers that concern all events, if they say when the receiver can be tried again (RFC 9110, section 10.2.3). */
const PAUSES: ReadonlySet<number> = new Set([429, 503]);

/** The form of a date in HTTP (RFC 9110, section 5.6.7). `Date.parse` accepts more, such as `-1`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** What is read of an answer. */
interface Answer {
  readonly status: number;
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined;
}

/** The seconds that a header `Retry-After` asks for: a number of seconds, or a date. Undefined if it is neither. */
function pauseOf(retryAfter: string | undefined, clock: () => number): number | undefined {
  const text = retryAfter?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const seconds = HTTP_DATE.test(text) ? (Date.parse(text) - clock()) / 1_000 : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.max(Math.ceil(seconds), 0);
}

/** @throws an error of {@link EventReceiver.deliver} unless the answer says that the event was accepted. */
function checkAnswer({ name: receiver, clock }: WebhookOptions, answer: Answer): void {
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) return;
  const fault = answersWith(status);
  if (status >= 400 && status < 500 && !TEMPORARY.has(status))
    throw new ReceiverRefusedError(receiver, fault, status === GONE);
  const retryAfterSeconds = PAUSES.has(status) ? pauseOf(retryAfter, clock) : undefined;
  if (retryAfterSeconds !== undefined) {
    const asks = asksForPause(status, retryAfterSeconds, LONGEST_PAUSE_SECONDS);
    throw new ReceiverUnavailableError({ receiver, fault: asks, retryAfterSeconds });
  }
  const isRedirect = status >= 300 && status < 400;
  throw new ReceiverFailedError(receiver, isRedirect ? redirects(status) : fault);
}

/** Why no connection to a local address is made. Undefined for another address. */
function localFault(hostname: string, address: string): Error | undefined {
  const kind = localAddressKind(address);
  return kind === undefined ? undefined : new Error(localReceiver(hostname, address, kind));
}

/** The checks of the addresses that the host of a URL has. An agent does not resolve a host that is an address. */
function remoteOnly({ hostname }: URL) {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { lookup: guardedLookup(localFault), fault: localFault(host, host) };
}

/**
 * Creates the receiver of a webhook. An event is a POST in the structured content mode of CloudEvents (CloudEvents HTTP Protocol
 * Binding 1.0.2, section 3.2), signed as Standard Webhooks says. Of the answer, only the status and `Retry-After` are read. 2xx
 * accepts the event. 4xx refuses it, 410 too, but not 408 and 429. After anything else, it is tried again. Without an answer, and
 * after 429 and 503 with `Retry-After`, all events of the receiver wait.
 */
export function createWebhook(options: WebhookOptions): EventReceiver {
  const { name, timeoutMs = TIMEOUT_MS } = options;
  const url = new URL(options.url);
  const isSecure = url.protocol === 'https:';
  const { lookup, fault } = options.onlyRemote === true ? remoteOnly(url) : {};
  const guard = lookup === undefined ? {} : { lookup };
  const agent = isSecure ? new HttpsAgent(guard) : new HttpAgent(guard);
  const request = isSecure ? requestHttps : requestHttp;
  const post = async (event: JsonObject, signal: AbortSignal): Promise<Answer> => {
    if (fault !== undefined) throw fault;
    const body = stringifyJson(event);
    const headers = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'starfold',
      ...signedHeaders(options, String(event['id']), body),
    };
    const response = await exchange(
      () => request(url, { method: 'POST', agent, signal, headers }),
      body,
    );
    // What follows the headers is not read, however long it is.
    response.on('error', () => undefined).destroy();
    return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
  };
  return {
    async deliver(event) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), timeoutMs);
      let answered: Answer;
      try {
        answered = await post(event, late.signal);
      } catch (error) {
        const fault = late.signal.aborted ? noAnswer(timeoutMs / 1000) : messageOf(error);
        throw new ReceiverUnavailableError({ receiver: name, fault }, { cause: error });
      } finally {
        clearTimeout(timer);
      }
      checkAnswer(options, answered);
    },
  };
}
