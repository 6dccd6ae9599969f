import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { exchange } from '#shared/adapters/http/exchange.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { messageOf, ReceiverRefusedError, ReceiverUnavailableError } from '#shared/errors.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';

/** A receiver of events over HTTP. */
export interface WebhookOptions {
  /** Its name in errors. */
  readonly name: string;
  readonly url: string;
  /** The keys of the signatures, each `whsec_` and base64. Each makes a signature, so that a key can be replaced. */
  readonly secrets: readonly string[];
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
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

/** @throws ReceiverUnavailableError or ReceiverRefusedError unless the status says that the event was accepted. */
function checkStatus(name: string, status: number): void {
  if (status >= 200 && status < 300) return;
  if (status >= 400 && status < 500 && !TEMPORARY.has(status))
    throw new ReceiverRefusedError(name, `it answers ${status}`, status === GONE);
  const isRedirect = status >= 300 && status < 400;
  const why = isRedirect ? ', and a redirect is not followed: give the URL that it leads to' : '';
  throw new ReceiverUnavailableError({ receiver: name, fault: `it answers ${status}${why}` });
}

/**
 * Creates the receiver of a webhook. An event is a POST in the structured content mode of CloudEvents (CloudEvents HTTP Protocol
 * Binding 1.0.2, section 3.2), signed as Standard Webhooks says. Only the status of the answer is read. 2xx accepts the event.
 * 4xx refuses it, 410 too, but not 408 and 429. After anything else, it is tried again.
 */
export function createWebhook(options: WebhookOptions): EventReceiver {
  const { name, timeoutMs = TIMEOUT_MS } = options;
  const url = new URL(options.url);
  const isSecure = url.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent() : new HttpAgent();
  const request = isSecure ? requestHttps : requestHttp;
  const post = async (event: JsonObject, signal: AbortSignal): Promise<number> => {
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
    // What follows the status is not read, however long it is.
    response.on('error', () => undefined).destroy();
    return response.statusCode ?? 0;
  };
  return {
    async deliver(event) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), timeoutMs);
      let status: number;
      try {
        status = await post(event, late.signal);
      } catch (error) {
        const fault = late.signal.aborted
          ? `no answer within ${timeoutMs / 1000} s`
          : messageOf(error);
        throw new ReceiverUnavailableError({ receiver: name, fault }, { cause: error });
      } finally {
        clearTimeout(timer);
      }
      checkStatus(name, status);
    },
  };
}
