import { createHash } from 'node:crypto';
import { JITTER_FACTOR } from '#functions/event-forwarder/leader-election-options.ts';
import { isSourceName } from '#shared/core/names.ts';

/**
 * Rules of the configuration that involve more than one field. Each rule takes a section as it was written, and checks only its
 * own condition. Other faults in the section are reported separately.
 */

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
/** The valid names of a namespace (Kubernetes, "Object Names and IDs"). */
export const DNS_LABEL = new RegExp(`^(?=.{1,63}$)${LABEL}$`);
/** The valid names of a Lease (Kubernetes, "Object Names and IDs"). */
export const DNS_SUBDOMAIN = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);

/** Whether `source.select` selects in exactly one way. */
export function isOneWay(select: unknown): boolean {
  if (typeof select !== 'object' || select === null) return true;
  const fields = select as Readonly<Record<string, unknown>>;
  const listed = fields['labelSelector'] !== undefined || fields['resources'] !== undefined;
  return (fields['appliedManifestWorks'] === true) !== listed;
}

/** Whether a `source` of type wec names the WDS, or need not name it. Returns true if `select` is missing. */
export function hasWds(source: unknown): boolean {
  if (typeof source !== 'object' || source === null) return true;
  const { wds, select: chosen } = source as { readonly wds?: unknown; readonly select?: unknown };
  if (wds !== undefined || typeof chosen !== 'object' || chosen === null) return true;
  return (chosen as Readonly<Record<string, unknown>>)['appliedManifestWorks'] === true;
}

/** Whether `queue` names exactly one queue. */
export function isOneQueue(queue: unknown): boolean {
  if (typeof queue !== 'object' || queue === null) return true;
  return 'sqs' in queue !== 'http' in queue;
}

/** The region in the host of the URL of a queue (Amazon SQS Developer Guide, "Queue URLs"), otherwise `undefined`. */
export function regionOfQueueUrl(queueUrl: string): string | undefined {
  return /^https?:\/\/(?:[^/]*[.@])?sqs(?:-fips)?\.([a-z0-9-]+)\.[^/]+\//.exec(queueUrl)?.[1];
}

/** Whether `queue.sqs.region` is the region in the URL, if both are present. */
export function isOneRegion(sqs: unknown): boolean {
  if (typeof sqs !== 'object' || sqs === null) return true;
  const { url: queueUrl, region } = sqs as { readonly url?: unknown; readonly region?: unknown };
  if (typeof region !== 'string' || region === '' || typeof queueUrl !== 'string') return true;
  return (regionOfQueueUrl(queueUrl) ?? region) === region;
}

/** Whether a URL of http or https has no user or password. Returns true for other texts. */
export function hasNoCredentials(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return true;
  return parsed.username === '' && parsed.password === '';
}

/** Whether a URL has neither path nor query. Returns true for other texts. */
export function hasNoPath(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed === null || (parsed.pathname === '/' && parsed.search === '' && parsed.hash === '');
}

/** Whether `queue.http` has a certificate authority only for https. */
export function isSecureWithCa(http: unknown): boolean {
  if (typeof http !== 'object' || http === null) return true;
  const { url, caFile } = http as { readonly url?: unknown; readonly caFile?: unknown };
  return caFile === undefined || typeof url !== 'string' || !url.startsWith('http:');
}

/** Whether `queue.sqs` or its URL names the region. Returns true if the URL itself is invalid. */
export function hasRegion(sqs: unknown): boolean {
  if (typeof sqs !== 'object' || sqs === null) return true;
  const { url: queueUrl, region } = sqs as { readonly url?: unknown; readonly region?: unknown };
  if (region !== undefined || typeof queueUrl !== 'string') return true;
  return !URL.canParse(queueUrl) || regionOfQueueUrl(queueUrl) !== undefined;
}

/**
 * Whether the times are in the order that client-go's leaderelection requires (NewLeaderElector). Returns true if one of the
 * three is invalid itself.
 */
export function isInOrder(election: Readonly<Record<string, unknown>> | null): boolean {
  const lease = election?.['leaseDurationSeconds'];
  const deadline = election?.['renewDeadlineSeconds'];
  const retry = election?.['retryPeriodSeconds'];
  if (typeof lease !== 'number' || typeof deadline !== 'number' || typeof retry !== 'number')
    return true;
  return lease > deadline && deadline > JITTER_FACTOR * retry;
}

const LONGEST_WHOLE = 200;
const LONGEST_BEGINNING = 190;
const HASH_DIGITS = 8;

/**
 * The default name of the Lease of the forwarders of a source: each source has its own. If the name is changed to a valid one,
 * or is cut, it ends in digits of the SHA-256 of `<type>/<name>`. The chart has the same rule.
 */
export function defaultLeaseName({ type, name }: { type: string; name: string }): string {
  const plain = `event-forwarder-${type}-${name}`;
  const fit = plain.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-');
  if (fit === plain && fit.length <= LONGEST_WHOLE) return fit;
  const hash = createHash('sha256').update(`${type}/${name}`).digest('hex');
  return `${fit.slice(0, LONGEST_BEGINNING)}-${hash.slice(0, HASH_DIGITS)}`;
}

/** Whether the Lease has a name, or can be named after the source, or is not used. */
export function hasLeaseName(config: unknown): boolean {
  const { source: of, leaderElection: election } = (config ?? {}) as {
    readonly source?: { readonly type?: unknown; readonly name?: unknown } | null;
    readonly leaderElection?: { readonly name?: unknown; readonly enabled?: unknown } | null;
  };
  if (election?.enabled === false || election?.name !== undefined) return true;
  if (typeof of?.name !== 'string' || !isSourceName(of.name)) return true;
  return DNS_SUBDOMAIN.test(defaultLeaseName({ type: String(of.type), name: of.name }));
}
