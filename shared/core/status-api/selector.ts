import {
  matchesRequirements,
  type SelectorRequirement,
} from '#shared/core/binding/label-selector-text.ts';
import { type Labels, labelValue } from '#shared/core/labels.ts';

/** A requirement of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** What a list or watch selects. All requirements must hold. */
export interface StatusSelector {
  readonly labels: readonly SelectorRequirement[];
  readonly fields: readonly FieldRequirement[];
}

/** What a selector reads of an object. */
export interface Selectable {
  readonly labels: Labels;
  /** By name of the field. A field that the object lacks is `''`. */
  readonly fields: Labels;
}

/** Selects everything. */
export const EVERYTHING: StatusSelector = { labels: [], fields: [] };

/** Whether a selector selects an object. */
export function selects(selector: StatusSelector, { labels, fields }: Selectable): boolean {
  return (
    matchesRequirements(selector.labels, labels) &&
    selector.fields.every(
      ({ field, operator, value }) =>
        ((labelValue(fields, field) ?? '') === value) === (operator === '='),
    )
  );
}
