import { NO_LIST } from '#shared/core/field-messages.ts';

// The notices and errors about the objects that a command was given. Most follow the location and the title of an object and a colon,
// or the location of a document. Those about files and documents are in document-messages.ts, and those about Fleet's objects in
// fleet-messages.ts.

/** A user has not given an object as a whole. */
export const AS_KUBECTL = 'give the object as kubectl get -o yaml prints it';
const NOT_REPORTED = 'counts as one that has not reported';

/** An object has a location, a title, and `text` that is said of it. */
export function aboutObject(
  { location, title }: { readonly location: string; readonly title: string },
  text: string,
): string {
  return `${location}, ${title}: ${text}`;
}

/** The files of `-f`. */
export const NO_OBJECT = 'there is no object in it: give the objects of a WDS';

/** A document, or an item of a list. */
export const NOT_AN_OBJECT =
  'this is not an object: give objects with apiVersion, kind and metadata.name';

/** A list of objects has no list of items. */
export const NO_ITEMS = `items ${NO_LIST}`;

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

/** A label or annotation of a ManagedCluster. */
export const NOT_A_TEXT =
  'it is not a text, and does not count: write it in quotes, as an API server requires';

/** The labels or annotations of a ManagedCluster. */
export const NOT_LABELS = 'they are not a mapping of texts, and do not count';

/** A ManagedCluster has labels and annotations beyond a limit. `excess` names the limit, and `first` is one of the `count`. */
export function unseenLabels(excess: string, count: number, first: string): string {
  return `its labels and annotations ${excess}: StatusCollectors do not see ${count} of them, such as ${first}`;
}
