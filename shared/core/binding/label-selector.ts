import { isObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { unknownMembers } from '#shared/core/known-members.ts';
import type { Labels } from '#shared/core/labels.ts';
import { type LabelRequirement, readRequirement, requiredLabel } from './label-requirement.ts';
import { NO_LABELS, NO_SELECTOR } from './messages.ts';
import { readList } from './policy-field.ts';

/** A label selector, ready to be applied. */
export interface LabelSelector {
  /** The selector as canonical JSON text. Two selectors are equal if their texts are equal. */
  readonly text: string;
  /** The labels that the selector reads. A change of any other label does not change whether the selector matches. */
  readonly keys: ReadonlySet<string>;
  /** Whether the selector has no requirement: `{}`. */
  readonly isEmpty: boolean;
  matches(labels: Labels): boolean;
}

/** A label selector, or its errors: field, problem, remedy. */
export type LabelSelectorReading =
  | { readonly ok: true; readonly selector: LabelSelector }
  | { readonly ok: false; readonly errors: readonly string[] };

const MEMBERS: ReadonlySet<string> = new Set(['matchLabels', 'matchExpressions']);

function readMatchLabels(
  value: JsonValue | undefined,
  path: string,
  errors: string[],
): readonly LabelRequirement[] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) {
    errors.push(`${path}: ${NO_LABELS}`);
    return [];
  }
  return Object.entries(value).map(([key, wanted]) =>
    requiredLabel({ key, value: wanted }, path, errors),
  );
}

function createSelector(text: string, requirements: readonly LabelRequirement[]): LabelSelector {
  return {
    text,
    keys: new Set(requirements.map(({ key }) => key)),
    isEmpty: requirements.length === 0,
    matches: (labels) => requirements.every((requirement) => requirement.holds(labels)),
  };
}

/**
 * Reads a label selector: `matchLabels` and `matchExpressions`, all of which must hold (Kubernetes, labels and
 * selectors). Any other member is an error. If it were ignored, a misspelt member would let everything match.
 *
 * @param path the path of the selector, for the texts of the errors
 */
export function parseLabelSelector(value: JsonValue, path: string): LabelSelectorReading {
  if (!isObject(value))
    return {
      ok: false,
      errors: [`${path}: ${NO_SELECTOR}`],
    };
  const errors: string[] = [...unknownMembers(value, path, MEMBERS)];
  const expressions = `${path}.matchExpressions`;
  const requirements = [
    ...readMatchLabels(value['matchLabels'], `${path}.matchLabels`, errors),
    ...readList(value['matchExpressions'], expressions, errors).flatMap((expression, index) =>
      readRequirement(expression, `${expressions}[${index}]`, errors),
    ),
  ];
  return errors.length > 0
    ? { ok: false, errors }
    : { ok: true, selector: createSelector(stringifyJson(value), requirements) };
}
