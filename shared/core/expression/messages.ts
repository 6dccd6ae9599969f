// The sentences of this folder that more than one place needs: its modules, its users and its tests.
// The errors that cel-go also finds are in cel-go's words, so that they are found in its documentation.

/** cel-go: no overload of a function or operator takes these types. `applied` is `(int, string)` or `string.(int)`. */
export function noMatchingOverload(name: string, applied: string): string {
  return `found no matching overload for '${name}' applied to '${applied}'`;
}

/** cel-go: a name is neither a variable nor a function. */
export function undeclaredReference(name: string): string {
  return `undeclared reference to '${name}' (in container '')`;
}

/** cel-go. */
export function noFieldSelection(type: string): string {
  return `type '${type}' does not support field selection`;
}

/** cel-go. */
export function notBool(type: string): string {
  return `expected type 'bool' but found '${type}'`;
}

/** cel-go: what a macro such as `all` cannot loop over. */
export function noRange(type: string): string {
  return `expression of type '${type}' cannot be range of a comprehension (must be list, map, or dynamic)`;
}

/** cel-go: the text of a string is no value of the type. */
export function unreadableString(type: string): string {
  return `type conversion error from 'string' to '${type}'`;
}

/** cel-go. */
export const INT_AS_DURATION = "type conversion error from 'int' to 'google.protobuf.Duration'";

/** cel-go. */
export const INVALID_UTF8 = 'invalid UTF-8 in bytes, cannot convert to string';

/** cel-go: an index, or a field, of a list. */
export function unsupportedIndexType(type: string): string {
  return `unsupported index type '${type}' in list`;
}

/** The remedy if types do not match. */
export const TYPE_REMEDY = 'convert one side, or compare values of the same type';

/** The largest number of instructions, for a constant pattern and for one that is computed. */
export function largePattern(size: number, max: number): string {
  return `the pattern makes up to ${size} instructions; at most ${max} are allowed`;
}

/** The patterns of one expression exceed `max` together. */
export function largePatterns(overhead: number, max: number): string {
  return `the patterns are too large together: each counts its instructions, the ranges of its classes of Unicode, and ${overhead}, at most ${max} are allowed`;
}

/** `steps` is the fewest steps of an evaluation; `max` the steps of a row. */
export function expensiveExpression(steps: number, max: number): string {
  return `takes at least ${steps} steps, whatever the data; a row has ${max}`;
}

const BEGINNINGS = 'begin with $.inventory, $.status, $.spec or $.propagation';

/** `text` is in quotes, as are those of the next two. */
export function noPath(text: string): string {
  return `${text} is not a path; ${BEGINNINGS}`;
}

/** A path whose first field is none of the variables. */
export function unknownBeginning(path: string): string {
  return `${path} has no known beginning; ${BEGINNINGS}, or write CEL such as obj.metadata`;
}

/** The rest of a path, from the first step that cannot be read. */
export function unreadableSteps(rest: string): string {
  return `the part ${rest} cannot be read; write fields as .name or ['name'] and elements as [0]; wildcards, slices, filters and .. are not possible`;
}

/** The path of an operator Path that is no text. */
export const PATH_MISSING = 'must be a path, such as $.status.phase';

/** Arguments beside the path of an operator Path. */
export const PATH_WITH_ARGS = 'Path takes a path and no args; remove them';

/** A path beside the arguments of another operator. */
export function argsWithPath(operator: string): string {
  return `${operator} takes args and no path; remove it`;
}

/** An argument of an operator. */
export const NO_OPERAND =
  'must be an expression {op, ...}, CEL text, a number, true, false or null';

/** An operator expression that makes more than `max` characters of CEL. */
export function longAsCel(max: number): string {
  return `is longer than ${max} characters of CEL; shorten it`;
}

/** The objects of a kind do not have a field. `near` is the path of a similar one. */
export function noField(path: string, near?: string): string {
  return `has no field ${path}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

/** `member` is in quotes; `meant` is `did you mean inventory.name?`, or the members that there are. */
export function noMember(variable: string, member: string, meant: string): string {
  return `${variable} has no member ${member}; ${meant}`;
}

/** Values that are too deep to be compared. */
export function notComparable(levels: number): string {
  return `${nestedDeeper('values are', levels)}, so they cannot be compared`;
}

/** `what` is a subject with its verb, such as `values are`. */
export function nestedDeeper(what: string, levels: number): string {
  return `${what} nested deeper than ${levels} levels`;
}
