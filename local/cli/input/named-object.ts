import { existsSync } from 'node:fs';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import { fileAsName, notAName, notGiven, severalObjects } from './object-messages.ts';
import { longWord } from './resource-word.ts';

/** An object that a command line can name. */
export interface NamedObject {
  readonly group: string;
  /** Lower-case plural of the kind. */
  readonly resource: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What a command line names: `<kind>/<name>`, and the value of `-n`. */
export interface ObjectName {
  readonly text: string;
  readonly namespace?: string;
}

/** The words for the kind of an object, as in kubectl: `deployment`, `deployments`, `deployments.apps`. */
function wordsFor({ group, resource, kind }: NamedObject): readonly string[] {
  const words = [resource, kind.toLowerCase()];
  return [...words, ...words.map((word) => `${word}.${group}`)];
}

function titleOf({ kind, namespace, name }: NamedObject): string {
  const title = `${kind.toLowerCase()}/${name}`;
  return namespace === '' ? title : `${title} -n ${namespace}`;
}

function notFound(objects: readonly NamedObject[], wanted: ObjectName): InputError {
  const { text, namespace } = wanted;
  const asked = namespace === undefined ? text : `${text} -n ${namespace}`;
  const titles = objects.map(titleOf);
  const near =
    titles.find((title) => title.split(' ')[0] === text) ??
    nearestName(asked, titles) ??
    titles.find((title) => nearestName(text, [title.split(' ')[0] ?? '']) !== undefined);
  return new InputError(notGiven(wanted, titles, near));
}

/**
 * Reads `<kind>/<name>`.
 *
 * @throws UsageError if the text has another form
 */
export function parseObjectText(text: string): { readonly word: string; readonly name: string } {
  const [word = '', name, ...rest] = text.split('/');
  if (word === '' || name === undefined || name === '' || rest.length > 0)
    throw new UsageError(existsSync(text) ? fileAsName(text) : notAName(text));
  return { word: longWord(word), name };
}

/**
 * Finds the object that a command line names.
 *
 * @throws UsageError if the name has another form, InputError if there is no such object or more than one
 */
export function namedObject<T extends NamedObject>(objects: readonly T[], wanted: ObjectName): T {
  const { word, name } = parseObjectText(wanted.text);
  const found = objects.filter(
    (one) =>
      one.name === name &&
      wordsFor(one).includes(word) &&
      (wanted.namespace === undefined || one.namespace === wanted.namespace),
  );
  const [first, second] = found;
  if (first === undefined) throw notFound(objects, wanted);
  if (second !== undefined) throw new InputError(severalObjects(wanted.text, found.map(titleOf)));
  return first;
}
