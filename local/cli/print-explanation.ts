import type { DecisionExplanation } from '#shared/core/explanation/decision-explanation.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import { InputError } from './cli-error.ts';
import { FORMATS, prettyJson, prettyYaml } from './print.ts';

/** What to do about a name that is not known. */
export function suggestion(name: string, names: readonly string[], what: string): string {
  const near = nearestName(name, names);
  const list = names.length === 0 ? `there are no ${what}` : `the ${what} are ${names.join(', ')}`;
  return near === undefined ? list : `did you mean ${near}? ${list}`;
}

/** An explanation, as far as it matters here. Only one of a workload object has a decision. */
interface Explained {
  readonly fields: readonly { readonly path: string }[];
  readonly decision?: Pick<DecisionExplanation, 'action' | 'reason'>;
}

const NO_STATUS = 'Starfold writes no status';
/** What a decision without fields means. */
const WITHOUT_FIELDS: Readonly<Record<DecisionExplanation['action'], string>> = {
  Aggregate: NO_STATUS,
  Copy: NO_STATUS,
  Clear: NO_STATUS,
  Leave: 'Starfold leaves the status as it is',
};

function isAt(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

/**
 * An explanation with the fields at a path.
 *
 * @throws InputError if there is no such field
 */
function ofField<E extends Explained>(explanation: E, field: string | undefined): E {
  if (field === undefined) return explanation;
  const paths = explanation.fields.map(({ path }) => path);
  const { decision } = explanation;
  if (paths.length === 0 && decision !== undefined)
    throw new InputError(
      `--field ${field}: ${WITHOUT_FIELDS[decision.action]}: ${decision.reason}`,
    );
  if (!paths.some((path) => isAt(path, field)))
    throw new InputError(`--field ${field}: ${suggestion(field, paths, 'fields')}`);
  return { ...explanation, fields: explanation.fields.filter(({ path }) => isAt(path, field)) };
}

/** How an explanation can be printed: `wide` also has what is said about the WECs that decide. */
export const OUTPUTS = ['table', 'wide', ...FORMATS] as const;
/** One of {@link OUTPUTS}. */
export type Output = (typeof OUTPUTS)[number];

/** What is printed of an explanation, and how. */
export interface Printing {
  readonly field?: string;
  readonly output: Output;
  /** The width in which a table fits. */
  readonly columns: number;
}

/**
 * The text of an explanation, which is plain JSON.
 *
 * @param text the text for people
 * @throws InputError if it has no such field
 */
export function printedExplanation<E extends Explained>(
  explanation: E,
  text: (explanation: E, columns: number, isWide: boolean) => string,
  { field, output, columns }: Printing,
): string {
  const shown = ofField(explanation, field);
  const json = shown as unknown as JsonValue;
  switch (output) {
    case 'table':
    case 'wide':
      return text(shown, columns, output === 'wide');
    case 'yaml':
      return prettyYaml(json);
    case 'json':
      return `${prettyJson(json)}\n`;
  }
}
