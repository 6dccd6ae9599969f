import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { addressFault } from '#local/intake/address-error.ts';
import type { Stack } from '#local/stack/stack.ts';
import { close, listen, serverUrl } from '#shared/adapters/http/listen.ts';
import { foreignRequest } from '#shared/adapters/http/own-request.ts';
import { boundedCounts, type WorkloadCount } from '#shared/core/health/workload-counts.ts';
import { AppError, messageOf } from '#shared/errors.ts';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';
import { METRICS_ANSWERS } from './messages.ts';
import { type Address, isLoopback } from './plan-intake.ts';

/** Metrics cannot be served at the requested address. The message names the address, the problem and the remedy. */
export class MetricsError extends AppError {
  override readonly name = 'MetricsError';
  readonly code = 'metrics';
  readonly retryable = false;
}

/** What the metrics are of. */
export interface MetricsParts {
  /** The name of the WDS. Absent: no workload objects are counted. */
  readonly wds: string | undefined;
  readonly stack: Pick<Stack, 'backlog' | 'silentSince' | 'countSetAside' | 'countWorkloads'>;
  /** Called if metrics cannot be read. The client gets status 500. */
  readonly onError: (text: string) => void;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** A running server. */
export interface MetricsServer {
  readonly url: string;
  stop(): Promise<void>;
}

const STOP_MS = 500;
/** Scrapes within this time share one count, because a count reads each object. */
const SHARED_MS = 10_000;
const PLAIN = 'text/plain; charset=utf-8';

/** One count at a time, and at most one in {@link SHARED_MS}. */
function sharedCount({ wds, stack, clock }: MetricsParts): () => Promise<readonly WorkloadCount[]> {
  let last:
    | { readonly atMs: number; readonly counts: Promise<readonly WorkloadCount[]> }
    | undefined;
  return () => {
    if (wds === undefined) return Promise.resolve([]);
    const [found, nowMs] = [last, clock()];
    if (found !== undefined && nowMs - found.atMs < SHARED_MS) return found.counts;
    const counts = stack.countWorkloads(wds);
    last = { atMs: nowMs, counts };
    // A failed count is not shared with later scrapes.
    counts.catch(() => {
      last = undefined;
    });
    return counts;
  };
}

/** Creates the metrics of a stack with a registry of their own, which also has those of the process. */
export function createStackMetrics(parts: MetricsParts): Registry {
  const { wds = '', stack } = parts;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = <Label extends string = never>(
    about: { readonly name: string; readonly help: string; readonly labels?: readonly Label[] },
    collect: (one: Gauge<Label>) => Promise<void>,
  ): void => {
    const { name, help, labels = [] } = about;
    const one: Gauge<Label> = new Gauge<Label>({
      ...{ name: `starfold_${name}`, help, labelNames: labels, registers: [registry] },
      collect: () => collect(one),
    });
  };
  const count = sharedCount(parts);
  gauge(
    {
      name: 'workloads',
      help: "Workload objects that a Binding names, by Argo CD's verdict on the aggregated status.",
      labels: ['wds', 'resource', 'verdict'],
    },
    async (one) => {
      const counts = boundedCounts(await count());
      one.reset();
      for (const { resource, verdict, objects } of counts)
        one.set({ wds, resource, verdict }, objects);
    },
  );
  gauge(
    {
      name: 'queue_messages',
      help: 'Messages that wait, are in flight or delayed. Queues that end in -dlq have dead letters.',
      labels: ['queue'],
    },
    async (one) => {
      for (const [queue, messages] of Object.entries(await stack.backlog()))
        one.set({ queue }, messages);
    },
  );
  gauge({ name: 'silent_wecs', help: 'WECs that are silent.' }, async (one) =>
    one.set((await stack.silentSince()).size),
  );
  gauge(
    {
      name: 'subjects_set_aside',
      help: 'Workload objects and others that are set aside, because aggregating them has ended the process.',
    },
    async (one) => one.set(await stack.countSetAside()),
  );
  return registry;
}

/** Serves one request. On an address of this machine alone, no page of a browser may read the metrics. */
async function respond(
  { registry, isOwn }: { readonly registry: Registry; readonly isOwn: boolean },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = '/' } = request;
  const [path] = url.split('?');
  const end = (status: number, text: string, contentType = PLAIN): void => {
    response.writeHead(status, { ...SECURITY_HEADERS, 'content-type': contentType });
    response.end(method === 'HEAD' ? undefined : text);
  };
  const foreign = isOwn ? foreignRequest(request) : undefined;
  if (foreign !== undefined) return end(403, `${foreign}\n`);
  if (path !== '/metrics') return end(404, `${METRICS_ANSWERS.otherPath}\n`);
  if (method !== 'GET' && method !== 'HEAD') return end(405, `${METRICS_ANSWERS.otherMethod}\n`);
  end(200, await registry.metrics(), registry.contentType);
}

/**
 * Serves `GET /metrics` in Prometheus' text format, without authentication. The metrics name the WDS and resources, but no object
 * and no WEC.
 *
 * @throws MetricsError if it cannot listen at the address
 */
export async function serveMetrics(address: Address, parts: MetricsParts): Promise<MetricsServer> {
  const registry = createStackMetrics(parts);
  const server = createServer((request, response) => {
    respond({ registry, isOwn: isLoopback(address.host) }, request, response).catch(
      (error: unknown) => {
        parts.onError(messageOf(error));
        response.writeHead(500, { ...SECURITY_HEADERS, 'content-type': PLAIN });
        response.end(`${METRICS_ANSWERS.unreadable}\n`);
      },
    );
  });
  const port = await listen(server, address).catch((error: unknown) => {
    throw new MetricsError(addressFault(address, '--metrics', error), { cause: error });
  });
  server.on('error', (error) => parts.onError(messageOf(error)));
  const url = `${serverUrl('http', { host: address.host, port })}/metrics`;
  return { url, stop: () => close(server, STOP_MS) };
}
