import { counted } from '#shared/core/counted.ts';

// The sentences of the API of a WDS that are about selectors, queries, decisions, and what WECs have reported. Those about a field of
// a query follow its path and a colon. The errors of selectors have the words of API servers. What Starfold adds follows a colon.

const INVALID_SELECTOR = 'invalid field selector';

/** A term of the selector without an operator. */
export function noRequirement(selector: string, term: string): string {
  return `invalid selector: '${selector}'; can't understand '${term}'`;
}

/** `known` are the fields that a selector may have. */
export function unknownSelectorField(field: string, known: readonly string[]): string {
  return `field label not supported: ${field}: the fields are ${known.join(', ')}`;
}

/** `sequence` is the backslash and what follows it. */
export function invalidEscape(sequence: string): string {
  return `${INVALID_SELECTOR}: invalid escape sequence: ${sequence}`;
}

export const UNESCAPED_EQUALS = `${INVALID_SELECTOR}: unescaped character in value: =`;

/** `words` are all values of the field. An empty value selects what lacks the field. */
export function neverValue(field: string, value: string, words: readonly string[]): string {
  return `${INVALID_SELECTOR}: ${field} is never "${value}": give ${words.join(', ')}, or nothing after the sign`;
}

/** The limit of a query. */
export function longAnswer(limit: number, max: number): string {
  return `is ${limit}; an answer has at most ${max}, and continues`;
}

/** The error of an answer whose groups are of a part of the rows begins with this. Clients that merge them leave it out. */
export const PART_OF_GROUPS = 'the groups are those of ';

/** `rows` is how many rows the groups of one answer are of. */
export function partOfGroups(rows: number): string {
  return `${PART_OF_GROUPS}${counted(rows, 'row')}, because one answer reads no more rows: merge the groups of all answers`;
}

/** The answer has only its first `groups`. */
export function groupsLeftOut(groups: number): string {
  return `there are more groups than the first ${groups} by key: give a higher limit, a filter, or keys with fewer values`;
}

/** How many Bindings ask for which status of an object. */
interface AskingBindings {
  readonly singleton: number;
  readonly multiWEC: number;
}

function asking(bindings: number, what: string): readonly string[] {
  if (bindings === 0) return [];
  return [`${counted(bindings, 'Binding')} ${bindings === 1 ? 'asks' : 'ask'} for ${what}`];
}

/** Why something happens to a status. `wecs` is how many WECs qualify. */
export function decisionReason({ singleton, multiWEC }: AskingBindings, wecs: number): string {
  const asked = [...asking(singleton, 'singleton status'), ...asking(multiWEC, 'multi-WEC status')];
  const requests = asked.length > 0 ? asked.join(', ') : 'no Binding asks for status';
  return `${requests}; ${counted(wecs, 'WEC')} ${wecs === 1 ? 'qualifies' : 'qualify'}`;
}

/** `reason` is a {@link decisionReason}: several WECs qualify. */
export function onlyOneWec(reason: string): string {
  return `${reason}, and singleton status needs exactly one`;
}

/** `reason` is a {@link decisionReason}: there is nothing to write. */
export function noneReturned(reason: string): string {
  return `${reason}, and none has returned a status`;
}

/** `reason` is a {@link decisionReason}: the status is too large to be written. */
export function largeStatus(reason: string, maxBytes: number): string {
  return `${reason}, but the status takes more than ${maxBytes} bytes`;
}

export const BEING_DELETED = 'the object is being deleted in the WDS';

/** No controller of a WEC writes the status. */
export const WRITTEN_BY_WDS = 'the WDS itself writes the status of this kind';

/** The WDS does not have the object either. */
export const NOT_NAMED = 'no Binding names the object';

export const NOT_IN_WDS = 'the WDS does not have the object';

/** One of Fleet's objects has no status to write. */
export const FLEET_LEFT = 'it is being deleted, is not accepted, or names no repository';

/** How many targets an object of Fleet has. `states` has a count and a state for each state that they have. */
export function targetsText(targets: number, states: readonly string[]): string {
  return [counted(targets, 'target'), ...(states.length === 0 ? [] : [states.join(', ')])].join(
    ': ',
  );
}

/** Of a WEC that had the object before. */
export const OBJECT_MISSING = 'object missing';

/** Of a WEC. */
export const NOT_REPORTED = 'has not reported';

/** The status that a WEC has reported. */
export function largeReport(bytes: number): string {
  return `the status has ${bytes} bytes: too large to keep`;
}
