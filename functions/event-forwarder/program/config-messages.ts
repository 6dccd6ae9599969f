import { JITTER_FACTOR } from '#functions/event-forwarder/leader-election-options.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import { MAX_INVENTORY_BYTES, MAX_INVENTORY_ENTRIES } from '#shared/core/wec-inventory.ts';

// The faults of a configuration. Each follows the path of its field and a colon. A fault that begins with `must` also
// follows `is missing: it`.

/** A section without its fields. */
export const MAPPING = 'must be a mapping of fields: leave it out to have the defaults';

/** `source.name`, or a WDS. */
export const SOURCE_NAME =
  "must be a cluster's name, 1 to 253 letters, digits and . _ : @ - (in quotes if YAML reads it as a number)";

/** An entry of `source.select.resources`. */
export const RESOURCE =
  'must be a resource, such as deployments.apps/v1, or services/v1 for the core group';

/** A required text. */
export const TEXT = 'must be a text of at least one character';

/** `leaderElection.name`. */
export const LEASE_NAME =
  "must be a Lease's name, a DNS subdomain: lower-case letters, digits, - and . (at most 253 characters)";

/** `leaderElection.namespace`. */
export const NAMESPACE =
  'must be a namespace, a DNS label: lower-case letters, digits and - (at most 63 characters)';

/** A URL of a queue. It is never quoted. */
export const CREDENTIALS =
  'must have no user and no password: remove what is before the @, because the credentials are configured separately';

/** `source.select.labelSelector`; followed by the fault. */
export const SELECTOR =
  'must be a label selector as kubectl -l takes it, such as app=shop or app in (a, b)';

/** `source.select`. */
export const SELECT =
  'must have either appliedManifestWorks: true alone, or labelSelector, resources or both: they say which objects of the WEC came from a WDS';

/** `source.wds`, without which the forwarder cannot know where an object came from. */
export const WDS_MISSING =
  'is missing: name the WDS that the objects came from (with select.appliedManifestWorks, the works name it)';

/** `source.labels`, `source.annotations`, and each value in them. */
export const LABELS =
  'must be a mapping of texts, such as region: eu (in quotes if YAML reads the value as another type)';

/** A key in `source.labels` or `source.annotations`. */
export const LABEL_KEY =
  'is not the key of a label: write at most 63 letters, digits and - _ . that begin and end with a letter or digit, after a DNS subdomain and / if the key has a prefix';

/** A value in `source.labels`. */
export const LABEL_VALUE =
  'must be the value of a label: at most 63 letters, digits and - _ . that begin and end with a letter or digit, or nothing; any other text can be an annotation';

/** `source.labels` and `source.annotations` together. */
export const INVENTORY_TOO_LARGE = `must not have more than ${MAX_INVENTORY_ENTRIES} entries or ${MAX_INVENTORY_BYTES} bytes as JSON, labels and annotations together`;

/** `source`. */
export const SOURCE = 'must be a mapping with type (wec, its, inventory, wds or fleet) and name';

/** `queue`. */
export const QUEUE = 'must have exactly one of sqs and http: it says where the events go';

/** `queue.sqs.url`. */
export const SQS_URL =
  "must be the URL of the events queue, as the stack's outputs give it: https://sqs.REGION.amazonaws.com/ACCOUNT/NAME";

/** `queue.sqs.region`. */
export const REGION_MISSING = 'is missing: name the region of the queue, as its URL does not';

/** `queue.sqs.region` beside a URL that has one. */
export const OTHER_REGION =
  'is not the region that the URL names: remove it, or give the URL of the queue in that region';

/** `queue.sqs.url` of one of the other queues. */
export const FIFO =
  "must be the URL of the events queue, which is not a FIFO queue: the stack's outputs give it as EventsQueueUrl";

/** `queue.http.url`. */
export const HTTP_URL = 'must be the URL of the embedded stack: https://HOST:PORT';

/** `queue.http.url` with more than host and port. */
export const HTTP_PATH = 'must have no path: write https://HOST:PORT alone';

/** `queue.http.caFile` beside a URL without TLS. */
export const PLAIN_CA = 'is for https: write https in the url, or remove caFile';

/** `leaderElection.leaseDurationSeconds`. */
export const LEASE_ORDER = `must be longer than renewDeadlineSeconds, and that longer than ${JITTER_FACTOR} times retryPeriodSeconds: a leader stops before another one starts`;

/** `kubernetes.qps`. */
export const QPS = 'must be a number of requests a second, from 1 to 10000';

/** `leaderElection.name`, if no name can be made from `source.name`. */
export const LEASE_NAME_MISSING =
  'is missing: the Lease cannot be named after the source, because the name of the source has dots in wrong places; give a name of lower-case letters, digits, - and .';

/** The whole document. */
export const CONFIG = 'must be one mapping, with at least source and queue';

/** `source.type`. */
export const TYPE = 'must be wec, its, inventory, wds or fleet';

/** `source.select.resources`. */
export const RESOURCES = 'must be a list of resources, such as [deployments.apps/v1]';

/** `source.select.resources` without an entry. */
export const NO_RESOURCE = 'must name at least one resource, or be left out';

/** Any number of the configuration except `kubernetes.qps`. */
export function wholeNumber(least: number, most: number): string {
  return `must be a whole number from ${least} to ${most}`;
}

/** A selector that is no restriction. It follows {@link SELECTOR}. */
export const EVERY_OBJECT = 'an empty one would choose every object of the cluster';

/** A file that the configuration names, or the file of the configuration. */
export function noSuchFile(file: string): string {
  return `there is no file ${file}: check the path, and that it is mounted`;
}

/** Like {@link noSuchFile}, for a folder. */
export function notAFile(file: string): string {
  return `${file} is not a file: name a file`;
}

/** A text that cannot be parsed. */
export function notYaml(fault: string): string {
  return `it is not one YAML document: ${fault}`;
}

/** A fault of {@link notYaml}. */
export const SECOND_DOCUMENT = 'a second document begins here: keep one';

/**
 * A fault of {@link notYaml}: a key that occurs twice in a mapping.
 *
 * @param words how it is written, each spelling once
 * @param key what YAML reads
 */
export function repeatedKey(words: readonly string[], key: string): string {
  return words.every((word) => word === key)
    ? `the key ${key} is given twice: keep one`
    : `the keys ${words.join(' and ')} are all read as ${key}: put a key that is a text in quotes`;
}

/** The message for an unknown field. It names the known field that was probably meant. */
export function unknownField(field: string, allowed: readonly string[]): string {
  const nearest = nearestName(field, allowed);
  return nearest === undefined
    ? `is not known here: remove it, or use one of ${allowed.join(', ')}`
    : `is not known here: did you mean ${nearest}?`;
}
