import type { JsonValue } from '#shared/core/json.ts';
import type { Decided, Deciders } from './deciders.ts';
import type { JsonRecord } from './merge-records.ts';
import { partOf, type RulePart } from './rule-fold.ts';

/** How many WECs have a verdict, and the first of them by name. */
export type VerdictPart = { readonly count: number; readonly first: readonly string[] };

/** The part of some WECs under the rule of a kind, with the WECs that decide. Plain JSON. */
export type ExplainingPart = {
  readonly part: NonNullable<RulePart>;
  /** By component. */
  readonly by: JsonRecord<Deciders>;
  /** The deciders of the aggregate as a whole: whether there is one, its generation and its verdict. */
  readonly totals: Deciders;
  /** By verdict, and by what is shown. */
  readonly verdicts: JsonRecord<VerdictPart>;
  /** The fields that WECs report. */
  readonly reported: readonly string[];
};

/** The part of a component, with its deciders. */
export function decidedIn({ part, by }: ExplainingPart, name: string): Decided<JsonValue> {
  // Every component has deciders.
  return { part: partOf(part.parts, name), by: by[name] as Deciders };
}
