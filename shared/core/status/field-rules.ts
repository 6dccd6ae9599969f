/** The stable names of the rules of fields. docs/rules.md ("The names of the rules") has what they mean. */
export const RULE_NAMES = [
  'lowest',
  'lowest-generation',
  'current-generation',
  'held-back',
  'condition',
  'same-in-all',
  'true-in-all',
  'earliest',
  'latest',
  'one-wec',
  'largest-shortfall',
  'old-and-updated',
  'adapted',
  'deciding-entry',
  'all-have-it',
  'precondition',
  'without-succeeded',
  'union',
  'as-the-worst',
  'copy',
  'kept',
  'not-aggregated',
] as const;

/** The name of a rule. */
export type RuleName = (typeof RULE_NAMES)[number];

/** The rule of a field, and the components from which it is computed. */
export interface FieldRule<Name extends string = string> {
  readonly rule: RuleName;
  /** Names of components, or `<name>.<aspect>` for one aspect of a component. */
  readonly from: readonly (Name | `${Name}.${string}`)[];
}

/**
 * The rules of a kind, by field of `.status`. A type of condition is `conditions[<type>]`, and `conditions` are all
 * types that are not named. A field that is not named is not aggregated.
 */
export type FieldRules<Name extends string = string> = Readonly<
  Record<
    string,
    {
      /** The rule of the proposal, or of Starfold where the proposal has none. */
      readonly letter: FieldRule<Name>;
      /** The rule that applies if the field departs from the letter. If absent, it never does. */
      readonly departure?: FieldRule<Name>;
    }
  >
>;

/** The rule of a number: the lowest. */
export function lowest<Name extends string>(...from: FieldRule<Name>['from']) {
  return { letter: { rule: 'lowest', from } } as const;
}

/** The rule of conditions. */
export function condition<Name extends string>(...from: FieldRule<Name>['from']) {
  return { letter: { rule: 'condition', from } } as const;
}

/** The rule of fields that are copied together from one WEC. */
export function oneWec<Name extends string>(...from: FieldRule<Name>['from']) {
  return { letter: { rule: 'one-wec', from } } as const;
}

/** The rule of a list: the one that all WECs have. */
export function sameInAll<Name extends string>(...from: FieldRule<Name>['from']) {
  return { letter: { rule: 'same-in-all', from } } as const;
}

/** A departure from the letter. */
export function departing<Name extends string>(rule: RuleName, ...from: FieldRule<Name>['from']) {
  return { departure: { rule, from } } as const;
}
