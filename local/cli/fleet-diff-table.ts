import Table from 'cli-table3';
import { FLEET_KINDS } from '#shared/core/fleet/fleet-object.ts';
import type { ObjectDifferences } from '#shared/state/fleet/differences.ts';
import { plain, spanText } from './deployment/lines.ts';

/** Longer values are cut in a table; the other formats have more of them. */
const MAX_VALUE_CHARACTERS = 60;
const NOTHING = '-';

function valueText(value: string | null): string {
  if (value === null) return NOTHING;
  const text = plain(value);
  return text.length <= MAX_VALUE_CHARACTERS ? text : `${text.slice(0, MAX_VALUE_CHARACTERS - 1)}…`;
}

/** A line for each field; the first one names the object. */
function rowsOf(object: ObjectDifferences, nowMs: number): string[][] {
  const { subject, sinceMs, total, differences, refused } = object;
  const { upstream, resource, namespace, name } = subject;
  const fields = differences.map(({ field, fleet, starfold }) => [
    plain(field),
    valueText(fleet),
    valueText(starfold),
  ]);
  const more = total - differences.length;
  const lines = [
    ...(refused === undefined ? [] : [['(refused)', plain(refused), '']]),
    ...fields,
    ...(more > 0 ? [[`(${more} more)`, '', '']] : []),
  ];
  const own = [
    plain(upstream),
    FLEET_KINDS[resource],
    plain(`${namespace}/${name}`),
    spanText(nowMs - sinceMs),
  ];
  return lines.map((line, index) => [...(index === 0 ? own : ['', '', '', '']), ...line]);
}

/** A table for reading: what stands in Fleet's status, and what Starfold would write; `-` where that is nothing. */
export function differencesTable(objects: readonly ObjectDifferences[], nowMs: number): string {
  if (objects.length === 0) return 'No differences.\n';
  const table = new Table({
    head: ['UPSTREAM', 'KIND', 'OBJECT', 'FOR', 'FIELD', 'FLEET', 'STARFOLD'],
    style: { head: [], border: [] },
  });
  table.push(...objects.flatMap((object) => rowsOf(object, nowMs)));
  return `${table.toString()}\n`;
}
