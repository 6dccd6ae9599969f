import * as z from 'zod/mini';
import { JITTER_FACTOR } from '#functions/event-forwarder/leader-election-options.ts';
import { isSourceName } from '#shared/core/names.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import { parseResourceName } from '#shared/core/resource-name.ts';
import {
  DNS_LABEL,
  DNS_SUBDOMAIN,
  hasLeaseName,
  hasNoCredentials,
  hasNoPath,
  hasRegion,
  hasWds,
  isInOrder,
  isOneQueue,
  isOneRegion,
  isOneWay,
  isSecureWithCa,
} from './config-rules.ts';
import { labelSelectorFault } from './label-selector.ts';

const MAPPING = 'must be a mapping of fields: leave it out to have the defaults';
const NAME =
  "must be a cluster's name, 1 to 253 letters, digits and . _ : @ - (in quotes if YAML reads it as a number)";
const RESOURCE =
  'must be a resource, such as deployments.apps/v1, or services/v1 for the core group';
const TEXT = 'must be a text of at least one character';
const LEASE_NAME =
  "must be a Lease's name, a DNS subdomain: lower-case letters, digits, - and . (at most 253 characters)";
const NAMESPACE =
  'must be a namespace, a DNS label: lower-case letters, digits and - (at most 63 characters)';

/** The message for an unknown field. It names the known field that was probably meant. */
function unknownField(field: string, known: readonly string[]): string {
  const nearest = nearestName(field, known);
  return nearest === undefined
    ? `is not known here: remove it, or use one of ${known.join(', ')}`
    : `is not known here: did you mean ${nearest}?`;
}

/** A mapping that has these fields and no others. The message on unknown fields has a line for each of them. */
function section<Shape extends z.core.$ZodLooseShape>(shape: Shape, mapping = MAPPING) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((field) => unknownField(field, known)).join('\n')
        : mapping,
  });
}

function whole(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.int(error).check(z.minimum(least, error), z.maximum(most, error));
}

const text = z.string(TEXT).check(z.minLength(1, TEXT));
const clusterName = z.string(NAME).check(z.refine(isSourceName, NAME));

const CREDENTIALS =
  'must have no user and no password: remove what stands before the @, as the credentials are given otherwise';

/** A URL. The messages never quote it. */
function url(error: string) {
  return z
    .url({ protocol: /^https?$/, hostname: /./, error })
    .check(z.refine(hasNoCredentials, CREDENTIALS));
}

const SELECTOR =
  'must be a label selector as kubectl -l takes it, such as app=shop or app in (a, b)';

const labelSelector = z.string(SELECTOR).check(
  z.refine((selector) => labelSelectorFault(selector) === undefined, {
    error: ({ input }) => `${SELECTOR}: ${labelSelectorFault(String(input))}`,
  }),
);

const SELECT =
  'must have either appliedManifestWorks: true alone, or labelSelector, resources or both: they say which objects of the WEC came from a WDS';

const resource = z
  .string(RESOURCE)
  .check(z.refine((name) => parseResourceName(name) !== undefined, RESOURCE));

const select = section(
  {
    appliedManifestWorks: z._default(z.boolean('must be true or false'), false),
    labelSelector: z.exactOptional(labelSelector),
    resources: z.exactOptional(
      z
        .array(resource, 'must be a list of resources, such as [deployments.apps/v1]')
        .check(z.minLength(1, 'must name at least one resource, or be left out')),
    ),
  },
  SELECT,
).check(z.refine(isOneWay, { error: SELECT, when: () => true }));

const WDS =
  'is missing: name the WDS that the objects came from (only with select.appliedManifestWorks the works themselves can tell)';

const SOURCE = 'must be a mapping with type (wec, its, wds or fleet) and name';

const source = z.discriminatedUnion(
  'type',
  [
    section({
      type: z.literal('wec'),
      name: clusterName,
      wds: z.exactOptional(clusterName),
      select,
    }).check(z.refine(hasWds, { error: WDS, path: ['wds'], when: () => true })),
    section({ type: z.literal('its'), name: clusterName, wds: z.exactOptional(clusterName) }),
    section({ type: z.literal('wds'), name: clusterName }),
    section({ type: z.literal('fleet'), name: clusterName }),
  ],
  {
    error: (issue) => (issue.code === 'invalid_union' ? 'must be wec, its, wds or fleet' : SOURCE),
  },
);

const QUEUE = 'must have exactly one of sqs and http: it says where the events go';

const SQS_URL =
  "must be the URL of the events queue, as the stack's outputs give it: https://sqs.REGION.amazonaws.com/ACCOUNT/NAME";
const REGION = 'is missing: name the region of the queue, as its URL does not';
const OTHER_REGION =
  'is not the region that the URL names: remove it, or give the URL of the queue in that region';
const FIFO =
  "must be the URL of the events queue, which is no FIFO queue: the stack's outputs give it as EventsQueueUrl";
const HTTP_URL = 'must be the URL of the embedded stack: https://HOST:PORT';

const HTTP_PATH = 'must have no path: write https://HOST:PORT alone';
const PLAIN_CA = 'is for https: write https in the url, or remove caFile';

const queue = section(
  {
    sqs: z.exactOptional(
      section(
        {
          url: url(SQS_URL).check(z.refine((queueUrl) => !/\.fifo\/*$/.test(queueUrl), FIFO)),
          region: z.exactOptional(text),
        },
        'must be a mapping with url and region',
      ).check(
        z.refine(hasRegion, { error: REGION, path: ['region'], when: () => true }),
        z.refine(isOneRegion, { error: OTHER_REGION, path: ['region'], when: () => true }),
      ),
    ),
    http: z.exactOptional(
      section(
        {
          url: url(HTTP_URL).check(z.refine(hasNoPath, HTTP_PATH)),
          tokenFile: text,
          caFile: z.exactOptional(text),
        },
        'must be a mapping with url, tokenFile and, where the certificate needs it, caFile',
      ).check(z.refine(isSecureWithCa, { error: PLAIN_CA, path: ['caFile'], when: () => true })),
    ),
  },
  QUEUE,
).check(z.refine(isOneQueue, { error: QUEUE, when: () => true }));

const ORDER = `must be longer than renewDeadlineSeconds, and that longer than ${JITTER_FACTOR} times retryPeriodSeconds: a leader stops before another one starts`;

const leaderElection = section({
  enabled: z._default(z.boolean('must be true or false'), true),
  namespace: z._default(z.string(NAMESPACE).check(z.regex(DNS_LABEL, NAMESPACE)), 'starfold'),
  name: z.exactOptional(z.string(LEASE_NAME).check(z.regex(DNS_SUBDOMAIN, LEASE_NAME))),
  leaseDurationSeconds: z._default(whole(1, 3_600), 15),
  renewDeadlineSeconds: z._default(whole(1, 3_600), 10),
  retryPeriodSeconds: z._default(whole(1, 3_600), 2),
}).check(z.refine(isInOrder, { error: ORDER, path: ['leaseDurationSeconds'], when: () => true }));

const QPS = 'must be a number of requests a second, from 1 to 10000';

const kubernetes = section({
  kubeconfig: z._default(z.nullable(text), null),
  context: z._default(z.nullable(text), null),
  qps: z._default(z.number(QPS).check(z.minimum(1, QPS), z.maximum(10_000, QPS)), 20),
  burst: z._default(whole(1, 100_000), 40),
});

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

const UNFIT =
  'is missing: the Lease cannot be called after the source, in whose name dots stand where they must not; give it one of lower-case letters, digits, - and .';

/** The configuration file of the forwarder (docs/forwarder.md, "Configuration"). */
export const configSchema = section(
  {
    source,
    queue,
    leaderElection: z.prefault(leaderElection, {}),
    kubernetes: z.prefault(kubernetes, {}),
    // A message to SQS costs money. A request to the embedded stack does not.
    batchMilliseconds: z._default(z.nullable(whole(0, 60_000)), null),
    // A WEC without a heartbeat for five minutes is silent.
    heartbeatSeconds: z._default(whole(1, 240), 120),
    resyncHours: z._default(whole(1, 168), 10),
    server: z.prefault(
      section({
        port: z._default(whole(0, 65_535), 8080),
        host: z._default(text, '0.0.0.0'),
      }),
      {},
    ),
    shutdownSeconds: z._default(whole(0, 600), 20),
    logLevel: z._default(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`), 'info'),
  },
  'must be one mapping, with at least source and queue',
).check(
  z.refine(hasLeaseName, { error: UNFIT, path: ['leaderElection', 'name'], when: () => true }),
);
