import { InputError } from '#local/cli/terminal/cli-error.ts';
import { FORMATS, prettyJson, prettyYaml } from '#local/cli/terminal/print.ts';
import type { DecisionExplanation } from '#shared/core/explanation/decision-explanation.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import { fieldWithoutStatus, unknownField } from './messages.ts';

/** An explanation, as far as it matters here. Only one of a workload object has a decision. */
interface Explained {
  readonly fields: readonly { readonly path: string }[];
  readonly decision?: Pick<DecisionExplanation, 'action' | 'reason'>;
}

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
    throw new InputError(fieldWithoutStatus(field, decision));
  if (!paths.some((path) => isAt(path, field)))
    throw new InputError(unknownField(field, paths, nearestName(field, paths)));
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
