import type { Verdict } from '#shared/core/explanation/shown-verdict.ts';
import { isArray, isObject, type JsonValue, textAt } from '#shared/core/json.ts';
import { fieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';
import { countText } from './age.ts';
import type { ExplanationObject } from './api-objects.ts';
import { groupAndResource, type WorkloadPlace } from './routes.ts';
import { byName, type Fraction, type WecRow, worstFirst } from './wec-row.ts';
import { type FieldRow, fieldRows } from './why.ts';

/** What is said of an object that is as asked wherever a status counts. */
export function calmText({ wecs: { qualified, silent } }: Pick<ExplanationObject, 'wecs'>): string {
  const all =
    qualified === 1 ? 'The WEC is as asked.' : `All ${countText(qualified)} WECs are as asked.`;
  if (silent.length === 0) return all;
  if (qualified === 1) return `${all} It is silent: what it last said counts.`;
  const are = silent.length === 1 ? 'One is' : `${countText(silent.length)} are`;
  return `${all} ${are} silent: what ${silent.length === 1 ? 'it' : 'they'} last said counts.`;
}

/** The columns by which rows can be sorted. */
export const SORTS = [
  'verdict',
  'wec',
  'ready',
  'updated',
  'available',
  'generation',
  'changed',
] as const;
export type Sort = (typeof SORTS)[number];

/** A parameter of the URL as a column and a direction: `wec`, or `-wec` for the other way round. */
export function parseSort(text: string | undefined): {
  readonly by: Sort;
  readonly isReverse: boolean;
} {
  const isReverse = text?.startsWith('-') ?? false;
  const by = SORTS.find((sort) => sort === text?.replace(/^-/, '')) ?? 'verdict';
  return { by, isReverse };
}

/** The parameter after a click on the head of a column. Absent for the order with which a table begins. */
export function nextSort(text: string | undefined, clicked: Sort): string | undefined {
  const { by, isReverse } = parseSort(text);
  if (by !== clicked) return clicked === 'verdict' ? undefined : clicked;
  return isReverse ? (by === 'verdict' ? undefined : by) : `-${by}`;
}

function share(fraction: Fraction | undefined): number {
  if (fraction === undefined) return Number.POSITIVE_INFINITY;
  const [have, want] = fraction;
  return want === 0 ? 1 : have / want;
}

const COMPARE: Readonly<Record<Sort, (a: WecRow, b: WecRow) => number>> = {
  verdict: worstFirst,
  wec: (a, b) => byName(a.wec, b.wec),
  ready: (a, b) => share(a.ready) - share(b.ready),
  updated: (a, b) => share(a.updated) - share(b.updated),
  available: (a, b) => share(a.available) - share(b.available),
  generation: (a, b) => (a.source ?? 0) - (b.source ?? 0) || share(a.observed) - share(b.observed),
  changed: (a, b) => byName(b.changed ?? '', a.changed ?? ''),
};

/** Rows in the order of a column; what is equal there, worst first. */
export function sortRows(rows: readonly WecRow[], sort: string | undefined): readonly WecRow[] {
  const { by, isReverse } = parseSort(sort);
  const sign = isReverse ? -1 : 1;
  return rows.toSorted((a, b) => {
    const order = COMPARE[by](a, b);
    // Infinity minus itself is no number.
    return (Number.isNaN(order) ? 0 : order) * sign || worstFirst(a, b);
  });
}

/** Rows by verdict, and by part of the WEC's name or by one of its labels (`region=eu`). */
export function filterRows(
  rows: readonly WecRow[],
  { verdict, text = '' }: { readonly verdict?: Verdict; readonly text?: string },
  labelsOf: (wec: string) => Readonly<Record<string, string>>,
): readonly WecRow[] {
  const mark = text.indexOf('=');
  const has = (wec: string): boolean =>
    mark < 0 ? wec.includes(text) : labelsOf(wec)[text.slice(0, mark)] === text.slice(mark + 1);
  return rows.filter(
    (row) => (verdict === undefined || row.verdict === verdict) && (text === '' || has(row.wec)),
  );
}

/** The selector of everything that is reported about an object. */
export function selectorOf(place: WorkloadPlace): string {
  const { group, resource } = groupAndResource(place);
  return fieldSelectorText({
    'workload.name': place.name,
    'workload.resource': resource,
    'workload.group': group,
  });
}

/** A condition of the status in the WDS. */
export interface ConditionRow {
  readonly path: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly field: FieldRow;
}

/** What the WDS says: numbers and texts, and conditions. */
export interface Facts {
  readonly fields: readonly FieldRow[];
  readonly conditions: readonly ConditionRow[];
}

const CONDITION = /^conditions\[(.*)\]$/;

function isShort(value: JsonValue | undefined): boolean {
  return value !== undefined && !isObject(value) && !isArray(value);
}

function conditionRow(type: string, value: JsonValue, field: FieldRow): ConditionRow {
  return {
    path: field.path,
    type,
    status: textAt(value, 'status'),
    reason: textAt(value, 'reason'),
    message: textAt(value, 'message'),
    field,
  };
}

/** The status of the WDS as it is shown beside what the WECs say. */
export function factsOf(explanation: Pick<ExplanationObject, 'fields'>): Facts {
  const rows = fieldRows(explanation);
  const said = explanation.fields.flatMap(({ path, value }, index) => {
    const row = rows[index];
    return value === undefined || row === undefined
      ? []
      : [{ row, value, type: CONDITION.exec(path)?.[1] }];
  });
  return {
    fields: said.flatMap(({ row, value, type }) =>
      type === undefined && isShort(value) ? [row] : [],
    ),
    conditions: said.flatMap(({ row, value, type }) =>
      type === undefined ? [] : [conditionRow(type, value, row)],
    ),
  };
}
