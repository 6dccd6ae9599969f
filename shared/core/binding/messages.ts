// The sentences about Bindings, BindingPolicies and label selectors. Those about a field follow its path and a colon.

/** A label selector that is not an object. */
export const NO_SELECTOR = 'must be a label selector; write {} to match everything';

/** `matchLabels`. */
export const NO_LABELS = 'must be an object of label keys and values';

/** An entry of `matchExpressions`. */
export const NO_REQUIREMENT = 'must be an object with key, operator and values';

/** `key` as the message shows it. */
export function notLabelKey(key: string): string {
  return `${key} is not a valid label key; write a name of at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, after a lower-case DNS name and "/" if it has a prefix`;
}

/** Nothing beside a comma of a label selector's text. */
export const EMPTY_REQUIREMENT =
  'a requirement is empty; remove the comma that has nothing beside it';

/** A part of a label selector's text, between commas. */
export function noRequirementText(text: string): string {
  return `${text} is not a requirement; write one such as a=b, a!=b, a in (b, c), a, !a or a>1 with a whole number`;
}

/** A value in a label selector's text. */
export function notSelectableValue(value: string): string {
  return `${value} is not a valid label value; write at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends`;
}

/** The rule for a value: at most `max` characters. */
export function notLabelValue(max: number): string {
  return `must be the value of a label: a string of at most ${max} letters, digits, "-", "_" and "."`;
}

/** An operator of `matchExpressions` without values. */
export function valuesMissing(operator: string): string {
  return `${operator} needs at least one value; Exists and DoesNotExist need none`;
}

/** An operator of `matchExpressions` beside values. */
export function valuesForbidden(operator: string): string {
  return `${operator} takes no values; leave them out, or use In or NotIn`;
}

/** An entry of `clusterScope` or `namespaceScope`. */
export const NO_REFERENCE = 'must be an object reference';

/** `fields` are missing, or not strings. */
export function fieldsMissing(fields: string): string {
  return `lacks ${fields}: give each as a non-empty string`;
}

/** A namespace in `clusterScope`. */
export const NO_NAMESPACE =
  'a cluster-scoped object has no namespace; write a namespaced object in namespaceScope';

/** The group of an object. A test of a BindingPolicy may leave it out, see {@link ANY_GROUP}. */
export const CORE_GROUP = 'must be a string; write "" for the core group';

/** In a test of a BindingPolicy, an absent group matches all. */
export const ANY_GROUP = ', leave it out for any';

/** An entry of a list of StatusCollectors. */
export const NO_COLLECTOR_NAME = 'must be the name of a StatusCollector';

/** An entry of the destinations of a Binding. */
export const NO_WEC_NAME = 'must be the name of a WEC';

/** The outdated spelling `statusCollection` at `path`, which is still read. */
export function outdatedCollection(path: string): string {
  return `${path}.statusCollection is outdated: write its names as ${path}.statusCollectors`;
}

/** A clause of a BindingPolicy that would match every object. */
export function noTest(members: string): string {
  return `needs at least one of ${members}`;
}

/** `names` are StatusCollectors that exist, but are not valid. */
export function invalidCollectors(names: string): string {
  return `Invalid StatusCollector(s) [${names}]: status.errors of each says why`;
}

function wecs(count: number): string {
  return count === 1 ? '1 WEC' : `${count} WECs`;
}

/** The condition `WECsReporting` of a Binding without destinations. */
export const NO_WECS = 'The Binding names no WECs';

/** `count` is the number of WECs. */
export function allReporting(count: number): string {
  return `${wecs(count)} reporting`;
}

/** An entry of {@link notReporting}. `since` is a time, absent if it is not known. */
export function silentSince(wec: string, since?: string): string {
  return `${wec} (silent${since === undefined ? '' : ` since ${since}`})`;
}

/** An entry of {@link notReporting}. */
export function neverReportedWec(wec: string): string {
  return `${wec} (never reported)`;
}

/** `named` are the first entries of the `quiet` ones of `count` WECs, and how many more there are. */
export function notReporting(quiet: number, count: number, named: string): string {
  return `${quiet} of ${wecs(count)} not reporting: ${named}`;
}

/** The condition `StatusCollectorsAvailable` that is True, in KubeStellar's words. */
export const ALL_AVAILABLE = 'All StatusCollector(s) are available';

/** `names` are StatusCollectors that do not exist, in KubeStellar's words. */
export function missingCollectors(names: string): string {
  return `Missing StatusCollector(s) [${names}]`;
}

/** `object` is the title of a workload object for which a Binding does not count. */
export function bindingTooNew(object: string, limit: number): string {
  return `${object}: only the ${limit} oldest Bindings that ask for its status or name StatusCollectors for it count, and this Binding is newer: nothing is returned for it; delete Bindings that no longer need the object, or ask for what this one needs in an older Binding`;
}

/** `examples` are objects with their numbers of WECs. The first half is KubeStellar's. */
export function wrongWecs(examples: string): string {
  return `Singleton reported status return is requested but some objects have the wrong number of associated WECs, for example: ${examples}; send each to exactly one WEC, or ask for wantMultiWECReportedState`;
}

/** `since` is a time; `sources`, of which there are `count`, have not reported everything to a new state. */
export function held(since: string, sources: string, count: number): string {
  const [they, their] =
    count === 1 ? ['source has', 'its forwarder runs'] : ['sources have', 'their forwarders run'];
  return `held since ${since}: the state of this installation is new, and ${count} ${they} not reported everything yet (${sources}); until then, the results in this WDS are kept unchanged; check that ${their} (on AWS, with starfold doctor); if a WEC will not report again, remove it from the Bindings, or, on AWS: starfold unregister wec/NAME`;
}
