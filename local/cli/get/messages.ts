import { errorFromServer } from '#local/cli/door/messages.ts';

// What `starfold get` says of what was not found, and of its command line. Those about words that name no resource are said by other
// commands as well. kubectl's words are used where it says the same.

/** `-w` with a door that has no changes. */
export const WATCH_NEEDS_SERVER =
  '-w needs a server of the API (starfold start --api): --state, --stage and -f have no changes to watch';

/** `-w` with several objects or lists. */
export const WATCH_ONE = '-w follows one object or list: give one of them';

/** The value of `--chunk-size`. */
export const CHUNK_SIZE_FORM = 'Write a whole number, 0 for no pages.';

/** A name, whose object may be in any namespace. */
export const NAME_NEEDS_NAMESPACE =
  'the name of an object is unique in one namespace only: give -n instead of -A';

/** Names with a selector. */
export const NAMES_OR_SELECTORS = 'give names, or -l and --field-selector';

/** `pair` is `KIND/NAME`, `name` how the object is named among those of the resource of the API. */
export function pairAfterResource(resource: string, pair: string, name: string): string {
  return `${resource} ${pair}: write the name of one of its objects, such as ${resource} ${name}, or leave out ${resource}`;
}

/** A list is empty. Without a namespace, it is of all. A user who has not chosen the namespace reads that there are others. */
export function noneFound(namespace: string | undefined, isChosen: boolean): string {
  if (namespace === undefined) return 'No resources found';
  const said = `No resources found in ${namespace} namespace`;
  return isChosen ? `${said}.` : `${said}: -A shows all namespaces, -n another one`;
}

/** There is no object of a name. `title` is its resource and name, `hint` one of {@link NOT_FOUND_HINTS}. */
export function notFound(title: string, hint: string): string {
  return errorFromServer('NotFound', `${title} not found: ${hint}`);
}

/** Why WECs report nothing about an object. */
export const NOT_FOUND_HINTS = {
  nowhere: 'no Binding sends such an object to a WEC',
  elsewhere: 'there is one in another namespace: give it with -n, or -A',
  notSelected: 'there is one that -l, --field-selector or the namespace leaves out',
} as const;

/** A Binding names a WEC, from which nothing has come. */
export function neverHeard(wec: string): string {
  return `nothing has ever reported as ${wec}: compare the name in the Binding (clusterId) with those of starfold get wecs`;
}

/** A word names a resource of which objects are only created. */
export function notKept(word: string): string {
  return `${word}: an answer is not kept: ask with starfold query`;
}

function noResource(word: string, remedy: string): string {
  return `there is no resource ${word}: ${remedy}`;
}

/** `near` is the similar word for a resource that there is. */
export function unknownResource(word: string, near: string | undefined): string {
  const hint = near === undefined ? '' : `did you mean ${near}? `;
  return noResource(word, `${hint}starfold get why -A lists the objects of all resources`);
}

/** Several words with commas. */
export function severalResources(word: string, first: string): string {
  return noResource(word, `name one resource at a time, such as ${first}`);
}

/** `file` is what the user has written, and there is such a file. */
export function fileAsResource(word: string, file: string): string {
  return noResource(word, `${file} is a file: give it with -f`);
}

/** A server answers with objects instead of the rows of a table. */
export function noTable(server: string): string {
  return `${server} has answered without a Table: use -o json or -o yaml`;
}

/** A watch has been cut off. `fault` says how. */
export function tryingAgain(fault: string): string {
  return `${fault}; trying again`;
}

/** A watch goes on. It follows {@link tryingAgain}. */
export function answersAgain(server: string): string {
  return `${server} answers again`;
}
