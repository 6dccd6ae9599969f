// What is wrong with a field of any object, as users see it after the path of the field and a colon. Sentences that only one
// area has are in its own messages.

export const NO_OBJECT = 'must be an object';

export const NO_LIST = 'must be a list';

export const NO_FLAG = 'must be true or false';

export const NO_STRING = 'must be a string';

/** A text whose characters are whole, in UTF-16. */
export const WELL_FORMED = 'none of them half of a surrogate pair';

/** A text, or something else, in the place of a text of up to `max` characters. */
export function noText(max: number): string {
  return `${NO_STRING} of at most ${max} characters, ${WELL_FORMED}`;
}

/** In YAML, most values without quotes are no strings. */
export const NO_QUOTES = `${NO_STRING}; put it in quotes`;

/** `members` are those that the object may have. */
export function noObjectWith(members: string): string {
  return `${NO_OBJECT} with ${members}`;
}

/** `values` are those that the field may have. */
export function noneOf(values: string): string {
  return `must be one of ${values}`;
}

/** `counted` is how many entries of a list count; `remedy` follows a colon. */
export function longList(entries: number, counted: number, remedy: string): string {
  return `has ${entries} entries, and only the first ${counted} count: ${remedy}`;
}

/** `meant` is the similar name of a field that is known. */
export function misspeltField(meant: string): string {
  return `unknown field; did you mean ${meant}?`;
}

/** `known` are the fields that there are. None of them is similar. */
export function unknownField(known: string): string {
  return `unknown field; use ${known}`;
}
