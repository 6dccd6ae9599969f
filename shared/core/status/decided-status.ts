import type { Fold } from '#shared/core/fold/fold.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import type { RuleName } from './field-rules.ts';

/** A field of an aggregate, or one that a WEC reports and the aggregate leaves out, with the WECs that decide it. */
export interface DecidedField {
  /** As `statusPaths` names it. */
  readonly path: string;
  /** Absent if the aggregate leaves the field out. */
  readonly value?: JsonValue;
  readonly rule: RuleName;
  /** Whether all qualified WECs decide together, because the rule says so ("all say True"). */
  readonly byAll: boolean;
  /** The WECs that decide, by the deciders of the rule's components. */
  readonly deciders: readonly string[];
  /** How the field departs from the letter. Absent if it does not. */
  readonly departs?: string;
}

/** How many WECs have a verdict, and the first of them by name. */
export interface VerdictCount {
  readonly verdict: ArgoCdStatus;
  /** The verdict as it is shown: `Missing` for a WEC that has returned no status. */
  readonly shown: ArgoCdStatus;
  readonly count: number;
  readonly first: readonly string[];
}

/** An aggregate with the WECs that decide its fields. */
export interface DecidedStatus {
  readonly status: JsonObject;
  readonly fields: readonly DecidedField[];
  /** Where the rule of the kind is documented. */
  readonly documentation: string;
  /** Whether members of maps and elements of lists are fields of their own. */
  readonly isDeep: boolean;
  /** The WECs that decide whether there is an aggregate, and its verdict. */
  readonly supporting: readonly string[];
  /** The WECs that decide anything in which an aggregate can depart from the letter. */
  readonly departing: readonly string[];
  /** The verdicts on the WECs' own objects. Empty if Argo CD does not judge the kind. */
  readonly verdicts: readonly VerdictCount[];
}

/** The fold from the qualified WECs to an aggregate with the WECs that decide, or to undefined if there is no aggregate. */
export type ExplainingFold = Fold<PerWecRow, JsonValue, DecidedStatus | undefined>;
