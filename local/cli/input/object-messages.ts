import { namesText } from '#shared/core/fold/named-wecs.ts';

// What is wrong with the name of an object on a command line.

/** The name of an object in another form. */
export function notAName(text: string): string {
  return `${text} names no object: write KIND/NAME, such as deployment/web`;
}

/** The path of a file in the place of a name. */
export function fileAsName(path: string): string {
  return `${path} is a file: give it with -f, and an object as KIND/NAME, such as deployment/web`;
}

/** `KIND/NAME`, and the value of `-n`. */
interface AskedObject {
  readonly text: string;
  readonly namespace?: string;
}

function noObject({ text, namespace }: AskedObject, which: string, remedy: string): string {
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return `there is no ${text}${where} ${which}: ${remedy}`;
}

function listed(titles: readonly string[]): string {
  return namesText([...titles].sort(), titles.length);
}

/** No file has the object. `near` is the similar one of the titles. */
export function notGiven(
  asked: AskedObject,
  titles: readonly string[],
  near: string | undefined,
): string {
  const hint = near === undefined ? `the objects are ${listed(titles)}` : `did you mean ${near}?`;
  const remedy = titles.length === 0 ? 'give it with -f' : hint;
  return noObject(asked, 'among the given objects', remedy);
}

/** No WEC has the object. */
export function notBound(asked: AskedObject): string {
  return noObject(asked, 'that a Binding sends to WECs', 'starfold get why -A lists the objects');
}

/** Several objects have the name. */
export function severalObjects(text: string, titles: readonly string[]): string {
  return `${text} is the name of several objects: ${listed(titles)}: give the namespace with -n, or the group as in deployments.apps/web`;
}
