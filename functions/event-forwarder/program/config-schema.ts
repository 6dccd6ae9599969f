import * as z from 'zod/mini';
import { isLabelKey, isLabelValue } from '#shared/core/binding/label-requirement.ts';
import { isSourceName } from '#shared/core/names.ts';
import { parseResourceName } from '#shared/core/resource-name.ts';
import { boundedInventory, NO_INVENTORY } from '#shared/core/wec-inventory.ts';
import {
  CONFIG,
  CREDENTIALS,
  FIFO,
  HTTP_PATH,
  HTTP_URL,
  INVENTORY_TOO_LARGE,
  LABEL_KEY,
  LABEL_VALUE,
  LABELS,
  LEASE_NAME,
  LEASE_NAME_MISSING,
  LEASE_ORDER,
  MAPPING,
  NAMESPACE,
  NO_RESOURCE,
  OTHER_REGION,
  PLAIN_CA,
  QPS,
  QUEUE,
  REGION_MISSING,
  RESOURCE,
  RESOURCES,
  SELECT,
  SELECTOR,
  SOURCE,
  SOURCE_NAME,
  SQS_URL,
  TEXT,
  TYPE,
  unknownField,
  WDS_MISSING,
  wholeNumber,
} from './config-messages.ts';
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

/** A mapping that has these fields and no others. The message on unknown fields has a line for each of them. */
function section<Shape extends z.core.$ZodLooseShape>(shape: Shape, mapping = MAPPING) {
  const allowed = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((field) => unknownField(field, allowed)).join('\n')
        : mapping,
  });
}

function whole(least: number, most: number) {
  const error = wholeNumber(least, most);
  return z.int(error).check(z.minimum(least, error), z.maximum(most, error));
}

const text = z.string(TEXT).check(z.minLength(1, TEXT));
const clusterName = z.string(SOURCE_NAME).check(z.refine(isSourceName, SOURCE_NAME));

/** A URL. The messages never quote it. */
function url(error: string) {
  return z
    .url({ protocol: /^https?$/, hostname: /./, error })
    .check(z.refine(hasNoCredentials, CREDENTIALS));
}

const labelSelector = z.string(SELECTOR).check(
  z.refine((selector) => labelSelectorFault(selector) === undefined, {
    error: ({ input }) => `${SELECTOR}: ${labelSelectorFault(String(input))}`,
  }),
);

const resource = z
  .string(RESOURCE)
  .check(z.refine((name) => parseResourceName(name) !== undefined, RESOURCE));

const select = section(
  {
    appliedManifestWorks: z._default(z.boolean('must be true or false'), false),
    labelSelector: z.exactOptional(labelSelector),
    resources: z.exactOptional(z.array(resource, RESOURCES).check(z.minLength(1, NO_RESOURCE))),
  },
  SELECT,
).check(z.refine(isOneWay, { error: SELECT, when: () => true }));

const labelText = z.string(LABELS);

/** A mapping of texts whose keys have the syntax of labels. */
function labelled(isKey: (key: string) => boolean, value: typeof labelText) {
  return z.record(z.string().check(z.refine(isKey)), value, {
    error: ({ code }) => (code === 'invalid_key' ? LABEL_KEY : LABELS),
  });
}

/** What Kubernetes accepts as labels (Kubernetes, "Labels and Selectors"). */
const labels = labelled(isLabelKey, labelText.check(z.refine(isLabelValue, LABEL_VALUE)));

/** What Kubernetes accepts as annotations: any value, and a key without regard to case (Kubernetes, "Annotations"). */
const annotations = labelled((key) => isLabelKey(key.toLowerCase()), labelText);

const texts = z.record(z.string(), z.string());

/** Whether the labels and annotations of a source are within the limit. Returns true if they are invalid themselves. */
function fitsInventory(of: unknown): boolean {
  const parsed = z.safeParse(
    z.object({ labels: z.exactOptional(texts), annotations: z.exactOptional(texts) }),
    of,
  );
  if (!parsed.success) return true;
  return boundedInventory({ ...NO_INVENTORY, ...parsed.data }).leftOut.length === 0;
}

const source = z.discriminatedUnion(
  'type',
  [
    section({
      type: z.literal('wec'),
      name: clusterName,
      wds: z.exactOptional(clusterName),
      select,
      labels: z.exactOptional(labels),
      annotations: z.exactOptional(annotations),
    }).check(
      z.refine(fitsInventory, { error: INVENTORY_TOO_LARGE, path: ['labels'], when: () => true }),
      z.refine(hasWds, { error: WDS_MISSING, path: ['wds'], when: () => true }),
    ),
    section({ type: z.literal('its'), name: clusterName, wds: z.exactOptional(clusterName) }),
    section({ type: z.literal('inventory'), name: clusterName }),
    section({ type: z.literal('wds'), name: clusterName }),
    section({ type: z.literal('fleet'), name: clusterName }),
  ],
  {
    error: (issue) => (issue.code === 'invalid_union' ? TYPE : SOURCE),
  },
);

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
        z.refine(hasRegion, { error: REGION_MISSING, path: ['region'], when: () => true }),
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
        'must be a mapping with url, tokenFile and, if the certificate needs it, caFile',
      ).check(z.refine(isSecureWithCa, { error: PLAIN_CA, path: ['caFile'], when: () => true })),
    ),
  },
  QUEUE,
).check(z.refine(isOneQueue, { error: QUEUE, when: () => true }));

const leaderElection = section({
  enabled: z._default(z.boolean('must be true or false'), true),
  namespace: z._default(z.string(NAMESPACE).check(z.regex(DNS_LABEL, NAMESPACE)), 'starfold'),
  name: z.exactOptional(z.string(LEASE_NAME).check(z.regex(DNS_SUBDOMAIN, LEASE_NAME))),
  leaseDurationSeconds: z._default(whole(1, 3_600), 15),
  renewDeadlineSeconds: z._default(whole(1, 3_600), 10),
  retryPeriodSeconds: z._default(whole(1, 3_600), 2),
}).check(
  z.refine(isInOrder, { error: LEASE_ORDER, path: ['leaseDurationSeconds'], when: () => true }),
);

const kubernetes = section({
  kubeconfig: z._default(z.nullable(text), null),
  context: z._default(z.nullable(text), null),
  qps: z._default(z.number(QPS).check(z.minimum(1, QPS), z.maximum(10_000, QPS)), 20),
  burst: z._default(whole(1, 100_000), 40),
});

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** The configuration file of the forwarder (docs/forwarder.md, "Configuration"). */
export const configSchema = section(
  {
    source,
    queue,
    leaderElection: z.prefault(leaderElection, {}),
    kubernetes: z.prefault(kubernetes, {}),
    // A message to SQS costs money. A request to the embedded stack does not.
    batchMilliseconds: z._default(z.nullable(whole(0, 60_000)), null),
    // The same holds for heartbeats. A WEC without a heartbeat for five minutes is silent.
    heartbeatSeconds: z._default(z.nullable(whole(1, 240)), null),
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
  CONFIG,
).check(
  z.refine(hasLeaseName, {
    error: LEASE_NAME_MISSING,
    path: ['leaderElection', 'name'],
    when: () => true,
  }),
);
