// The notices and errors about what a command was given. Most follow the location and the title of an object and a colon,
// or the location of a document.

const AS_KUBECTL = 'give the object as kubectl get -o yaml prints it';
const NOT_REPORTED = 'counts as one that has not reported';
const READABLE = 'give YAML or JSON in UTF-8, as kubectl get -o yaml prints it';

/** A file that cannot be read, by the code of the error. */
export const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder: check the path',
  EACCES: 'the file may not be read: give yourself the right to read it',
};

/** A folder. */
export const NO_FILES = 'this folder has no file that ends in .yaml, .yml or .json: check the path';

/** A file. */
export const NOT_UTF8 = `this is a binary file, or a text that is not in UTF-8: ${READABLE}`;

/** The files of `-f`. */
export const NO_OBJECT = 'there is no object in it: give the objects of a WDS';

/** A document, or an item of a list. */
export const NOT_AN_OBJECT =
  'this is not an object: give objects with apiVersion, kind and metadata.name';

/** A field of an object that every object has. */
export function fieldFault(field: string, isMissing: boolean): string {
  return `${field} is ${isMissing ? 'missing' : 'not a string'}: ${AS_KUBECTL}`;
}

/** `first` is the location of the other one. */
export function givenTwice(first: string): string {
  return `is given twice, first in ${first}: remove one of the two`;
}

/** An API version that has never been supported. */
export function wrongVersion(given: unknown, supported: string): string {
  return `apiVersion is ${given}: give it as ${supported}`;
}

/** An API version that is read like the present one. */
export function outdatedVersion(given: string, supported: string): string {
  return `apiVersion ${given} is outdated: read as ${supported}; give it as that`;
}

/** A kind whose objects change no result. */
export const UNUSED_KIND = 'Starfold does not use this kind: ignored';

/** A WorkStatus without a namespace. */
export const NO_WEC_NAME = 'metadata.namespace is missing: it is the name of the WEC';

/** One of Fleet's objects without a namespace. */
export const NO_FLEET_NAMESPACE = `metadata.namespace is missing: Fleet's objects have one; ${AS_KUBECTL}`;

/** An object of a WEC to which no Binding sends it. */
export function notSent(wec: string): string {
  return `no Binding sends this object to WEC ${wec}: ignored`;
}

/** One of two reports of an object. The other one, in `location`, counts. */
export function reportedTwice(wec: string, location: string): string {
  return `WEC ${wec} reports the same object in ${location}, which is used; this is ignored`;
}

/** A WEC whose `files` are empty. */
export function emptyReport(wec: string, files: string): string {
  return `--wec ${wec}: there is no object in ${files}: this WEC ${NOT_REPORTED}`;
}

/** Destinations without `--wec`. */
export function noReport(wecs: string): string {
  return `Bindings send objects to ${wecs}, but no file has the objects there: each ${NOT_REPORTED}; give the file of each WEC with --wec NAME=FILE`;
}

/** Destinations, if nothing is given for any WEC and the health of each object is shown. */
export function judgedAsGiven(wecs: string): string {
  return `Bindings send objects to ${wecs}, but no file has the objects there: each object is judged as it is given; give the file of each WEC with --wec NAME=FILE`;
}

/** A Binding, with the title of one of its objects. */
export function missingObject(object: string): string {
  return `it names ${object}, which is not given: nothing is written for it; add it with -f`;
}

/** A Binding, or the policy that it was made from. */
export const NO_DESTINATION =
  'it selects no WEC: give the ManagedClusters that it is to match, with their labels';

/** An object or Binding with a CombinedStatus. */
export const NO_UID = `it has no metadata.uid, which names its CombinedStatuses: a stand-in is used; ${AS_KUBECTL}`;

/** An object with an aggregated status. */
export const NO_GENERATION = `it has no metadata.generation, without which a WEC that lags or has returned nothing may seem up to date: ${AS_KUBECTL}`;

/** A CombinedStatus. */
export const STRAY = 'no Binding needs it, and its labels name no workload object: removed';

/** A GitRepo that Fleet itself does not handle. */
export const STATUS_KEPT =
  'its status is kept unchanged: it is being deleted, is not accepted, or has no spec.repo';

/** A ClusterGroup without Clusters, or another object of Fleet without BundleDeployments and targets. */
export function nothingBelow(kind: string): string {
  const missing =
    kind === 'ClusterGroup'
      ? 'no Cluster that it selects'
      : 'no BundleDeployment and no target of it';
  return `${missing} is given: its status says that there is none; add them with -f`;
}

/** A downstream cluster of Fleet. */
export function noDeployment(cluster: string): string {
  return `--wec ${cluster}: no BundleDeployment that is given belongs to Cluster ${cluster}: ignored; its labels fleet.cattle.io/cluster-namespace and fleet.cattle.io/cluster name its Cluster`;
}

/** An object of a downstream cluster. */
export function notListed(cluster: string): string {
  return `no BundleDeployment in Cluster ${cluster} lists this object in status.resources: ignored`;
}

/** A field of one of Fleet's objects, which follows a space. */
export const FLEET_FAULTS = {
  string: 'must be a string: put it in quotes',
  strings: 'must be an object of strings',
  conditionStatus: 'must be a string: put "True" in quotes',
  flag: 'must be true or false',
  integer: 'must be an integer',
  integers: 'must be an object of integers',
  object: 'must be an object',
  objects: 'must be a list of objects',
  time: 'must be a time of RFC 3339, such as 2026-11-21T12:00:00Z',
} as const;

/** `path` leads to the part that is too deep. */
export function nestedTooDeep(path: string, levels: number): string {
  return `${path} is nested deeper than ${levels} levels: flatten it`;
}

/** A YAML document that the parser gives up. */
export const UNREADABLY_DEEP = 'this is nested too deeply to be read: flatten it';

/** An alias without an anchor before it. */
export function noAnchor(name: string): string {
  return `no anchor &${name} is before it: set it there, or write out what *${name} means`;
}

/** An alias within its own anchor. */
export function endlessAlias(name: string): string {
  return `*${name} is within the part that it repeats, which would have no end: write out what is meant`;
}

/** Aliases of aliases. */
export const LARGE_ALIASES = 'its aliases repeat too much: write out what is meant';

/** `words` are words of the YAML document, with their values. */
export function readAsBooleans(words: string): string {
  return `read as kubectl does: ${words}; write true or false, or put strings in quotes`;
}

/** A label or annotation of a ManagedCluster. */
export const NOT_A_TEXT =
  'it is not a text, and does not count: write it in quotes, as an API server requires';

/** The labels or annotations of a ManagedCluster. */
export const NOT_LABELS = 'they are not a mapping of texts, and do not count';
