import { styleText } from 'node:util';
import { shortenedWidths } from '#local/cli/terminal/shortened-columns.ts';
import { borderedTable, borderedWidths, type Rows } from '#local/tables/text-table.ts';
import type { ResourceSummary } from '#shared/core/fleet/resource/rule.ts';
import { plainText } from '#shared/core/plain-text.ts';
import type { ObjectHealth, WecHealth } from './assess-workload.ts';
import type { Health } from './assessor.ts';
import { NO_RULE, silentSince } from './health-messages.ts';

type Style = Parameters<typeof styleText>[0];

const STYLES: Readonly<Record<string, Style>> = {
  Healthy: 'green',
  Suspended: 'blue',
  Progressing: 'yellow',
  Missing: 'yellow',
  Degraded: 'red',
  Unknown: 'magenta',
  Current: 'green',
  InProgress: 'yellow',
  Terminating: 'yellow',
  NotFound: 'yellow',
  Failed: 'red',
};

function styled(text: string, style: Style | undefined): string {
  return style === undefined ? text : styleText(style, text);
}

/** Fleet's flags, which are needed to understand its states. */
function flagsOf({ error, transitioning }: ResourceSummary): string {
  return [transitioning ? 'transitioning' : '', error ? 'error' : '']
    .filter((flag) => flag !== '')
    .join(', ');
}

function summaryStyle({ error, transitioning }: ResourceSummary): Style {
  if (error) return 'red';
  return transitioning ? 'yellow' : 'green';
}

/** Status and message. If the assessor has reasons of conditions, or Fleet's flags, these are between them. */
function cells(health: Health | null, hasReasons: boolean): readonly string[] {
  const verdict = health ?? { status: NO_RULE, message: '' };
  if ('state' in verdict)
    return [
      styled(plainText(verdict.state), summaryStyle(verdict)),
      flagsOf(verdict),
      plainText(verdict.message.join(', ')),
    ];
  const { status, message, conditions = [] } = verdict;
  const reasons = conditions.map(({ reason }) => reason).join(', ');
  return [
    styled(status, STYLES[status]),
    ...(hasReasons ? [plainText(reasons)] : []),
    plainText(message),
  ];
}

function hasReason({ health }: ObjectHealth): boolean {
  return health !== null && ('state' in health || health.conditions !== undefined);
}

/** What the table says of a silent WEC. Its verdict is that on its last report. */
function silenceText({ silentSince: since }: WecHealth): string {
  return since === undefined ? '' : silentSince(since);
}

function rowsOf(
  { object, health, wecs, decidedBy }: ObjectHealth,
  hasReasons: boolean,
): string[][] {
  const name = object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
  const own = [plainText(`${object.kind} ${name}`), '', ...cells(health, hasReasons)];
  const ofWecs = wecs.map((wec) => {
    const mark = decidedBy.includes(wec.name) ? ' *' : '';
    const [...columns] = cells(wec.health, hasReasons);
    const message = [silenceText(wec), columns.pop()].filter((text) => text !== '');
    return ['', plainText(`${wec.name}${mark}`), ...columns, plainText(message.join('; '))];
  });
  return [own, ...ofWecs];
}

/** The widths of columns that fit, with the lines between them. */
function fittingWidths(rows: Rows, columns: number | undefined): readonly number[] {
  const widths = borderedWidths(rows);
  const most = columns === undefined ? undefined : columns - (widths.length + 1);
  return shortenedWidths(widths, most);
}

/**
 * A table for users. A star marks the WECs that decide. kstatus and Fleet have another column for reasons and flags.
 * Colours are used if the output is a terminal.
 *
 * @param columns the width in which it fits: texts are shortened. Absent for no limit
 */
export function healthTable(results: readonly ObjectHealth[], columns?: number): string {
  const hasReasons = results.some(hasReason);
  const head = ['OBJECT', 'WEC', 'HEALTH', ...(hasReasons ? ['REASON'] : []), 'MESSAGE'];
  const rows = results.flatMap((result) => rowsOf(result, hasReasons));
  const all = [head, ...rows];
  return borderedTable(all, fittingWidths(all, columns));
}
