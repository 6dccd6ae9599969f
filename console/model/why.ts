import { rankOf, type Verdict, verdictOfReport } from '#shared/core/explanation/shown-verdict.ts';
import {
  equalJson,
  Float,
  isArray,
  isObject,
  type JsonValue,
  stringifyJson,
} from '#shared/core/json.ts';
import type { ExplanationObject } from './api-objects.ts';
import { byName, messageOf } from './wec-row.ts';

type Field = ExplanationObject['fields'][number];

/** A WEC that decides a field, and what it says of it. */
export interface DecidingWec {
  readonly wec: string;
  readonly value: string;
}

/** A field of `.status`, as it is shown. */
export interface FieldRow {
  readonly path: string;
  /** Absent if the field is left out. */
  readonly value?: string;
  readonly rule: string;
  /** `rules.md#deployment` */
  readonly documentation: string;
  readonly decidedBy: readonly DecidingWec[];
  readonly isByAll: boolean;
  /** Why the field departs from the letter of the proposal. Absent if it does not. */
  readonly departs?: string;
  /** With a WEC left out: the value before, if it is another one. `''` if there was none. */
  readonly before?: string;
}

/** A value as one short text. */
export function valueText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value instanceof Float) return String(value.value);
  // A condition is known by its status.
  if (isObject(value) && typeof value['status'] === 'string') return value['status'];
  return isObject(value) || isArray(value) ? stringifyJson(value) : String(value);
}

function deciders({ decidedBy }: Field): Pick<FieldRow, 'decidedBy' | 'isByAll'> {
  const named = (decidedBy ?? []).flatMap((one) =>
    'wec' in one
      ? [{ wec: one.wec, value: one.value === undefined ? '' : valueText(one.value) }]
      : [],
  );
  const isByAll = (decidedBy ?? []).some((one) => 'all' in one);
  return { decidedBy: named, isByAll };
}

/** A value as the table of fields shows it. Absent if the field is left out. */
function shownValue({ value }: Partial<Pick<Field, 'value'>>): { readonly value?: string } {
  return value === undefined ? {} : { value: valueText(value) };
}

function changeOf(field: Partial<Field>, before: Field | undefined): Pick<FieldRow, 'before'> {
  const [was, is] = [before?.value, field.value];
  if (was === is || (was !== undefined && is !== undefined && equalJson(was, is))) return {};
  return { before: was === undefined ? '' : valueText(was) };
}

/**
 * The fields of an explanation.
 *
 * @param before the explanation with all WECs, if this one leaves some out
 */
export function fieldRows(
  { fields }: Pick<ExplanationObject, 'fields'>,
  before?: Pick<ExplanationObject, 'fields'>,
): readonly FieldRow[] {
  const others = new Map(before?.fields.map((field) => [field.path, field]));
  const rows = fields.map((field): FieldRow => {
    const { path, rule, documentation, departs } = field;
    const changed = before === undefined ? {} : changeOf(field, others.get(path));
    others.delete(path);
    return {
      ...{ path, rule, documentation },
      ...shownValue(field),
      ...deciders(field),
      ...(departs === undefined ? {} : { departs }),
      ...changed,
    };
  });
  // A field that only the WECs that were left out have given.
  const gone = [...others.values()].map(
    ({ path, rule, documentation, value }): FieldRow => ({
      ...{ path, rule, documentation, decidedBy: [], isByAll: false },
      ...(value === undefined ? {} : { before: valueText(value) }),
    }),
  );
  return [...rows, ...gone];
}

/** A WEC that decides, and what is said about it. */
export interface ShownDecider {
  readonly wec: string;
  readonly verdict: Verdict;
  readonly message: string;
}

/** The WECs that decide a field, worst first. None if all decide together. */
export function decidersOf(
  { deciders }: Pick<ExplanationObject, 'deciders'>,
  { decidedBy }: Pick<FieldRow, 'decidedBy'>,
): readonly ShownDecider[] {
  const names = new Set(decidedBy.map(({ wec }) => wec));
  return deciders
    .filter(({ wec }) => names.has(wec))
    .map((one) => ({
      wec: one.wec,
      verdict: verdictOfReport(one.state, one.health?.status),
      message: messageOf(one),
    }))
    .toSorted((a, b) => rankOf(a.verdict) - rankOf(b.verdict) || byName(a.wec, b.wec));
}

/** WECs that say the same about a field. */
export interface ValueGroup {
  readonly value: string;
  readonly wecs: readonly string[];
  readonly isDeciding: boolean;
}

/** More different values are put together. */
const MAX_GROUPS = 6;

/** What `path` names in a status: a field, or the condition of a type. */
function valueAt(status: JsonValue | undefined, path: string): JsonValue | undefined {
  const condition = /^conditions\[(.*)\]$/.exec(path);
  if (!isObject(status)) return undefined;
  if (condition === null)
    return path
      .split('.')
      .reduce<JsonValue | undefined>((at, part) => (isObject(at) ? at[part] : undefined), status);
  const conditions = status['conditions'];
  if (!isArray(conditions)) return undefined;
  return conditions.find((one) => isObject(one) && one['type'] === condition[1]);
}

function numericOrder(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? byName(a, b) : x - y;
}

/** What is shown where a WEC says nothing about a field. */
export const NOT_SAID = 'not said';

/**
 * What WECs say about a field, gathered by value: numbers by size, other values by text, then those that say nothing. WECs that
 * decide are always among them, and the first of their group.
 *
 * @param statuses what WECs say, which may be a part
 */
export function valueGroups(
  statuses: readonly { readonly wec: string; readonly status?: JsonValue }[],
  { path, decidedBy, isByAll }: Pick<FieldRow, 'path' | 'decidedBy' | 'isByAll'>,
): readonly ValueGroup[] {
  const texts = new Map(decidedBy.map(({ wec, value }) => [wec, value === '' ? NOT_SAID : value]));
  for (const { wec, status } of statuses) {
    const value = valueAt(status, path);
    texts.set(wec, value === undefined ? NOT_SAID : valueText(value));
  }
  const found = new Map<string, string[]>();
  for (const [wec, text] of texts) found.set(text, [...(found.get(text) ?? []), wec]);
  const deciding = new Set(decidedBy.map(({ wec }) => wec));
  const groups = [...found]
    .map(([value, wecs]) => ({
      value,
      wecs,
      isDeciding: isByAll || wecs.some((wec) => deciding.has(wec)),
    }))
    .toSorted(
      (a, b) =>
        Number(a.value === NOT_SAID) - Number(b.value === NOT_SAID) ||
        numericOrder(a.value, b.value),
    );
  if (groups.length <= MAX_GROUPS) return groups;
  const kept = groups.filter(({ isDeciding }) => isDeciding).slice(0, MAX_GROUPS - 1);
  const others = groups.filter((group) => !kept.includes(group));
  const shown = others.slice(0, MAX_GROUPS - 1 - kept.length);
  const rest = others.slice(shown.length);
  return [
    ...groups.filter((group) => kept.includes(group) || shown.includes(group)),
    {
      value: `${rest.length} other values`,
      wecs: rest.flatMap(({ wecs }) => wecs),
      isDeciding: rest.some(({ isDeciding }) => isDeciding),
    },
  ];
}

/** Why there is no verdict on an object with its status. */
export function noVerdictText({
  decision: { action },
}: Pick<ExplanationObject, 'decision'>): string {
  switch (action) {
    case 'Leave':
      return 'Starfold leaves the status as it is, so no WEC decides a verdict.';
    case 'Clear':
      return 'Starfold writes no status, so there is no verdict.';
    default:
      return 'Argo CD has no rule for this kind.';
  }
}

/** Why there are no fields. */
export function noFieldsText({
  decision: { action },
}: Pick<ExplanationObject, 'decision'>): string {
  return action === 'Leave' ? 'Starfold leaves the status as it is' : 'No status';
}
