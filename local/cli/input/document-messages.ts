// What is said of the files that a command was given, and of the documents in them. The objects in these are in messages.ts.

const READABLE = 'give YAML or JSON in UTF-8, as kubectl get -o yaml prints it';

/** A command reads standard input in the place of a file. */
export const STANDARD_INPUT = '(standard input)';

/** A file has a document. The first one has the number 1. */
export function documentIn(file: string, number: number): string {
  return `${file}, document ${number}`;
}

/** A list has an item. The first one has the number 1. */
export function itemIn(list: string, number: number): string {
  return `${list}, item ${number}`;
}

/** A document has a line. */
export function lineIn(document: string, line: number): string {
  return `${document}, line ${line}`;
}

/** A document has a place. */
export function placeIn(
  document: string,
  { line, col }: { readonly line: number; readonly col: number },
): string {
  return `${lineIn(document, line)}, column ${col}`;
}

/** A command cannot read a file, by the code of the error. */
export const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder: check the path',
  EACCES: 'the file may not be read: give yourself the right to read it',
  ELOOP: 'symbolic links lead back to where they begin: name the files, or remove a link',
};

/** A folder has no file of objects. */
export const NO_FILES = 'this folder has no file that ends in .yaml, .yml or .json: check the path';

/** A file is not a text. */
export const NOT_UTF8 = `this is a binary file, or a text that is not in UTF-8: ${READABLE}`;

/** A document has an error of YAML. {@link notYaml} begins with this. */
export const NOT_YAML = 'this is not YAML';

/** A document has an error of YAML. `error` is the parser's. */
export function notYaml(error: string): string {
  return `${NOT_YAML}: ${correctThere(error)}`;
}

/** A document of YAML has no value. `error` is the parser's. */
export function correctThere(error: string): string {
  return `${error}; correct it there`;
}

/** A document has a number that only YAML has. */
export function notJson(value: number): string {
  return `${value} is not a value of JSON: write a number, or a string in quotes`;
}

/** A document has a part that is too deep. `path` leads to it. */
export function nestedTooDeep(path: string, levels: number): string {
  return `${path} is nested deeper than ${levels} levels: flatten it`;
}

/** The parser gives up a document of YAML. */
export const UNREADABLY_DEEP = 'this is nested too deeply to be read: flatten it';

/** An alias has no anchor before it. */
export function noAnchor(name: string): string {
  return `no anchor &${name} is before it: set it there, or write out what *${name} means`;
}

/** An alias is within its own anchor. */
export function endlessAlias(name: string): string {
  return `*${name} is within the part that it repeats, which would have no end: write out what is meant`;
}

/** A document has aliases of aliases. */
export const LARGE_ALIASES = 'its aliases repeat too much: write out what is meant';

/** A document has a word that looks like a text. It is a part of {@link readAsBooleans}. */
export function wordRead(word: string, value: boolean): string {
  return `${word} is ${value}`;
}

/** A document has words that look like texts. `words` are from {@link wordRead}. */
export function readAsBooleans(words: string): string {
  return `read as kubectl does: ${words}; write true or false, or put strings in quotes`;
}
