import { columnsText } from '#local/cli/terminal/columns-text.ts';
import { beginningOf, displayWidth } from '#local/tables/display-text.ts';
import type { Explanation } from '#shared/core/explanation/explanation.ts';
import { namesText } from '#shared/core/fold/named-wecs.ts';
import { isArray, isObject, type JsonValue, member, stringifyJson } from '#shared/core/json.ts';
import { plainText } from '#shared/core/plain-text.ts';
import type { FieldDecider, FieldExplanation } from '#shared/core/status/kinds/explain-status.ts';
import { typeAtPath } from '#shared/core/status/status-paths.ts';
import {
  asIfGone,
  decidedBy,
  healthIs,
  NAMED_WECS,
  notInWds,
  wdsRejects,
  wecsReported,
} from './messages.ts';

/** What stands where there is no value. */
const NOTHING = '-';

/** A value is shown up to this length. */
const MAX_SHOWN = 60;

function cut(text: string): string {
  return displayWidth(text) > MAX_SHOWN ? `${beginningOf(text, MAX_SHOWN - 3)}...` : text;
}

/** A value in a table. A condition is shown as its status and its reason. */
export function valueText(path: string, value: JsonValue): string {
  const status = member(value, 'status');
  if (typeAtPath(path) === undefined || typeof status !== 'string')
    return cut(typeof value === 'string' ? value : stringifyJson(value));
  const reason = member(value, 'reason');
  return typeof reason === 'string' ? `${status} ${reason}` : status;
}

/** The value of a WEC is shown where it is short. */
function deciderText(path: string, { wec, value }: FieldDecider): string {
  if (value === undefined) return wec;
  if (typeAtPath(path) !== undefined) return `${wec} (${String(member(value, 'status'))})`;
  return isArray(value) || isObject(value) ? wec : `${wec} (${valueText(path, value)})`;
}

function decidedByText({ path, decidedBy = [] }: FieldExplanation): string {
  return decidedBy.map((one) => ('all' in one ? 'all' : deciderText(path, one))).join(', ');
}

function rowOf(field: FieldExplanation): readonly string[] {
  const { path, value, rule, departs } = field;
  const mark = departs === undefined ? '' : ' *';
  const shown = value === undefined ? NOTHING : valueText(path, value);
  return [path, shown, `${rule}${mark}`, decidedByText(field)];
}

function wecsLine({ wecs }: Explanation): string {
  const named = (which: keyof typeof NAMED_WECS): readonly string[] => {
    const names = wecs[which];
    return names.length === 0 ? [] : [NAMED_WECS[which](namesText(names, names.length))];
  };
  return [
    wecsReported(wecs.reported, wecs.qualified),
    ...named('missing'),
    ...named('silent'),
    ...named('tooLarge'),
  ].join('; ');
}

function verdictLines({ verdict }: Explanation): readonly string[] {
  if (verdict === undefined) return [];
  const { status, message, decidedBy: deciders, others } = verdict;
  const rest = Object.entries(others).map(([name, count]) => `${count} ${name}`);
  return [healthIs(status, message), decidedBy(deciders, rest)];
}

/** Whether the WDS has the status. Nothing if it has, and if that is not known. */
function appliedLines({ applied, refused = [] }: Explanation): readonly string[] {
  const isMissing = applied !== undefined && !applied.upToDate;
  return [...(isMissing ? [notInWds(applied.problem)] : []), ...refused.map(wdsRejects)];
}

/** What is said about the WECs that decide. */
function deciderRows({ deciders }: Explanation): readonly (readonly string[])[] {
  return deciders.map(({ wec, state, health }) => [
    ...[wec, state, health?.status ?? NOTHING, health?.message ?? ''],
  ]);
}

function departures({ fields }: Explanation): readonly string[] {
  const departing = fields.filter(({ departs }) => departs !== undefined);
  return departing.map(({ path, departs }) => `* ${path}: ${departs}`);
}

/**
 * An explanation for people: the object with the decision, the WECs, the verdict, and a table of the fields.
 *
 * @param columns the width in which the tables fit
 * @param isWide whether there is a table of the WECs that decide, too
 */
export function explanationText(explanation: Explanation, columns: number, isWide = false): string {
  const { workload, decision, without, fields } = explanation;
  const { kind, namespace, name } = workload;
  const title = namespace === undefined ? name : `${namespace}/${name}`;
  const head = ['FIELD', 'VALUE', 'RULE', 'DECIDED BY'];
  const rows = [head, ...fields.map(rowOf)];
  const deciders = isWide ? deciderRows(explanation) : [];
  const said = [['DECIDER', 'STATE', 'HEALTH', 'MESSAGE'], ...deciders];
  const notes = departures(explanation);
  const above = [
    `${kind} ${title}`,
    `${decision.action}: ${decision.reason}`,
    ...(without === undefined ? [] : [asIfGone('WECs', without)]),
    wecsLine(explanation),
    ...verdictLines(explanation),
    ...appliedLines(explanation),
  ];
  const lines = [
    ...above.map(plainText),
    ...(fields.length === 0 ? [] : ['', columnsText(rows, columns)]),
    ...(deciders.length === 0 ? [] : ['', columnsText(said, columns)]),
    ...(notes.length === 0 ? [] : ['', ...notes.map(plainText)]),
  ];
  return `${lines.join('\n')}\n`;
}
