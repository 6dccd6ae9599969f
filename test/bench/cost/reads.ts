import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { QUESTIONS, reportedStore, statusReader } from '#test/bench/status-reader.ts';
import { createBilledStore, TableSizes } from './billed-store.ts';
import { EventClock } from './event-clock.ts';
import { LambdaFunction } from './lambda-function.ts';
import { Meter } from './meter.ts';
import type { Outcome } from './scenarios.ts';

const GIB = 1024 ** 3;
/** An HTTP API counts a request for each 512 KB of its answer. */
const REQUEST_BYTES = 512 * 1024;
/** The line of the access log (serverless.yml), with what CloudWatch adds. */
const ACCESS_LOG_BYTES = 500;
const FILE = new URL('../../../infra/api.yml', import.meta.url);

function memoryMb(): number {
  const document = parseDocument(readFileSync(FILE, 'utf8'), { logLevel: 'silent' });
  return Number(document.getIn(['functions', 'serve-api', 'memorySize']));
}

/** What one answer of serve-api about 10,000 rows costs, by what is asked. Its client accepts gzip. */
export async function readsOfApi(): Promise<ReadonlyMap<string, Outcome>> {
  const { store: inner } = await reportedStore();
  const outcomes = new Map<string, Outcome>();
  for (const [what, url] of Object.entries(QUESTIONS)) {
    const [meter, clock, metrics] = [new Meter(), new EventClock(0), new Set<string>()];
    const owner = new LambdaFunction(
      { name: 'serve-api', memoryMb: memoryMb() },
      { meter, clock, metrics },
    );
    const read = { rows: 0, parts: 0, others: 0 };
    const store = createBilledStore(inner, owner, { meter, clock, sizes: new TableSizes(), read });
    const ask = statusReader(store);
    // What an instance keeps of its first request is free for the next ones.
    await clock.drive(ask(url));
    meter.reset();
    const { body = '', isBase64Encoded } = await clock.drive(owner.invoke(() => ask(url)));
    const bytes = Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8').length;
    owner.compute(bytes);
    meter.add('HTTP API requests', 'requests', Math.ceil(bytes / REQUEST_BYTES));
    meter.add('Data out GB', 'answers', bytes / GIB);
    meter.add('CloudWatch log GB', 'access log', ACCESS_LOG_BYTES / GIB);
    outcomes.set(what, { bill: meter.bill(), changes: 1, seconds: 0, metrics: 0, storedBytes: 0 });
  }
  return outcomes;
}
