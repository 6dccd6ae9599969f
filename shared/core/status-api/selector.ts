import type { SelectorRequirement } from '#shared/core/binding/label-selector-text.ts';
import type { Labels } from '#shared/core/binding/labels.ts';

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
  /** By name of the field. Every field that the resource supports has a value, which may be `''`. */
  readonly fields: Labels;
}

/** Selects everything. */
export const EVERYTHING: StatusSelector = { labels: [], fields: [] };
