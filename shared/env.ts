import * as z from 'zod/mini';
import { FLEET_MODES } from '#shared/core/fleet-object.ts';
import { AppError } from '#shared/errors.ts';

/** The environment of a function differs from what its template sets. */
export class EnvironmentError extends AppError {
  override readonly name = 'EnvironmentError';
  readonly code = 'environment';
  readonly retryable = false;
}

const text = z.string().check(z.minLength(1));
const url = z.url();
/** A template has no way to leave out a variable: an empty one counts as missing. */
const optionalUrl = z.optional(
  z.pipe(
    z.union([z.literal(''), url]),
    z.transform((given) => (given === '' ? undefined : given)),
  ),
);
/** Names of clusters, which have no comma. */
const names = z.pipe(
  z.string(),
  z.transform((given) => given.split(',').filter((name) => name !== '')),
);
const logLevel = z._default(z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']), 'INFO');

/** STAGE: the name of the deployment, as in `--stage`. */
const common = { TABLE_NAME: text, LOG_LEVEL: logLevel, STAGE: text };

const recordEvents = z.object({
  ...common,
  EVENTS_QUEUE_URL: url,
  DIRTY_QUEUE_URL: url,
  HINTS_QUEUE_URL: url,
  EVENTS_DLQ_URL: url,
  /** The unique ID of the role whose redriven messages are accepted: that of sweep-stale. */
  REDRIVER_PRINCIPAL: text,
  /** The number of objects of a WEC whose rows are stored. */
  OBJECTS_PER_WEC: z.coerce.number().check(z.multipleOf(1), z.gte(1)),
});

/** The queue for messages about changes of topics. Absent: nobody is notified of them. */
const notified = { NOTIFICATIONS_QUEUE_URL: optionalUrl };

const aggregateWorkload = z.object({
  ...common,
  ...notified,
  DIRTY_QUEUE_URL: url,
  HINTS_QUEUE_URL: url,
});

const writeResults = z.object({
  ...common,
  ...notified,
  DIRTY_QUEUE_URL: url,
  HINTS_QUEUE_URL: url,
  /** The name of this installation in the clusters that it writes. */
  TABLE_ARN: text,
  /** Set by Lambda. */
  AWS_REGION: text,
  /** A JSON object from the name of a WDS to the place of its kubeconfig. */
  WDS_KUBECONFIGS: text,
  /** The same for Fleet's management clusters. */
  FLEET_KUBECONFIGS: text,
  FLEET_MODE: z._default(z.enum(FLEET_MODES), 'compare'),
});

const sweepStale = z.object({
  ...common,
  ...notified,
  NOTIFICATIONS_DLQ_URL: optionalUrl,
  EVENTS_QUEUE_URL: url,
  DIRTY_QUEUE_URL: url,
  HINTS_QUEUE_URL: url,
  EVENTS_DLQ_URL: url,
  DIRTY_DLQ_URL: url,
  HINTS_DLQ_URL: url,
  /** The unique ID of this function's own role. */
  REDRIVER_PRINCIPAL: text,
  /** The names of the WDSes whose workload objects are counted, separated by commas. */
  COUNTED_WDSES: z._default(names, []),
});

const sendNotifications = z.object({
  ...common,
  NOTIFICATIONS_QUEUE_URL: url,
  NOTIFICATIONS_DLQ_URL: url,
  /** Set by Lambda. */
  AWS_REGION: text,
  /** The place of the document that says who is notified of what: `ssm:<name>` or `secretsmanager:<ARN>`. */
  NOTIFICATIONS: text,
  /** The ARN of the event bus that rules may name as `event-bus`. */
  EVENT_BUS: z.pipe(
    z.string(),
    z.transform((given) => (given === '' ? undefined : given)),
  ),
});

const serveApi = z.object({
  ...common,
  /** Set by Lambda. */
  AWS_REGION: text,
  /** As of write-results. If IAM decides which statuses may be read, only the names count. */
  WDS_KUBECONFIGS: text,
});

const SCHEMAS = {
  ...{ recordEvents, aggregateWorkload, writeResults, sweepStale },
  ...{ sendNotifications, serveApi },
};

/** The environment of each function, by the function's name. */
export type FunctionEnv = {
  readonly [Name in keyof typeof SCHEMAS]: z.infer<(typeof SCHEMAS)[Name]>;
};

/**
 * Reads the environment of a function. Only this module reads `process.env`.
 *
 * @throws EnvironmentError with the variables that are missing or wrong.
 */
export function readEnv<Name extends keyof FunctionEnv>(name: Name): FunctionEnv[Name] {
  const result = z.safeParse(SCHEMAS[name], process.env);
  // The schema of this name was used.
  if (result.success) return result.data as FunctionEnv[Name];
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new EnvironmentError(
    `environment of ${name}: ${faults.join('; ')}: serverless.yml and infra/functions.yml set these variables, so deploy it again`,
  );
}

/** The variables of the process, for programs that define their own variables: proxies, the AWS SDK, kubectl. */
export function processEnvironment(): Readonly<NodeJS.ProcessEnv> {
  return process.env;
}
