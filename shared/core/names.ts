import type { WorkloadRef } from './workload.ts';

const WHOLE_SOURCE_NAME = /^[A-Za-z0-9._:@-]{1,253}$/;
/** Whether a source may have the name. Such a name contains no `/`, `|` or `#`. */
export function isSourceName(name: string): boolean {
  return WHOLE_SOURCE_NAME.test(name);
}

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const DNS_LABEL = new RegExp(`^${LABEL}$`);
const DNS_SUBDOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const RESOURCE = /^[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/;
// Characters that are invisible or reverse the text beside them; and U+FFFE, U+FFFF and other noncharacters, which SQS
// rejects in messages (Amazon SQS API Reference, SendMessage).
const UNFIT_IN_NAMES = /[/%\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]/u;

const MAX_LABEL = 63;
const MAX_NAME = 253;

/** Whether a text is a DNS subdomain, as most names in Kubernetes are. */
export function isSubdomain(text: string): boolean {
  return text.length <= MAX_NAME && DNS_SUBDOMAIN.test(text);
}

function isLabel(text: string): boolean {
  return text.length <= MAX_LABEL && DNS_LABEL.test(text);
}

/**
 * Whether an object may have the name: a path segment, which is the weakest rule of Kubernetes (Kubernetes, "Object
 * Names and IDs", path segment names; some roles are named `system:node-proxier`).
 */
export function isPathSegment(text: string): boolean {
  const { length } = text;
  if (length === 0 || length > MAX_NAME || text === '.' || text === '..') return false;
  return text.isWellFormed() && !UNFIT_IN_NAMES.test(text);
}

/** The error in the names of an object, and what they must be. `undefined` if there is none. */
export function namesFault(ref: WorkloadRef): string | undefined {
  if (!isSourceName(ref.wds))
    return 'the name of the WDS must be 1 to 253 letters, digits and . _ : @ -';
  if (ref.group !== '' && !isSubdomain(ref.group))
    return 'the group must be a DNS subdomain, or empty for the core group';
  if (ref.resource.length > MAX_LABEL || !RESOURCE.test(ref.resource))
    return 'the resource must be a plural name in lower case, such as deployments, of at most 63 characters';
  if (ref.namespace !== '' && !isLabel(ref.namespace))
    return 'the namespace must be a DNS label, or empty for a cluster-scoped object';
  if (!isPathSegment(ref.name))
    return 'the name of the object must be 1 to 253 characters without "/", "%" and control or format characters, and neither "." nor ".."';
  return undefined;
}
