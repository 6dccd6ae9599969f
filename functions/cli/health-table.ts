import { styleText } from 'node:util';
import Table from 'cli-table3';
import type { ObjectHealth } from './assess-workload.ts';
import type { Health } from './assessor.ts';

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
const DOES_NOT_COUNT = '(no rule)';
const CONTROL = /\p{Cc}+/gu;

/** Text that comes from clusters, without what would steer the terminal. */
function plain(text: string): string {
  return text.replaceAll(CONTROL, ' ');
}

/** Status and message, between them the reasons of conditions where the assessor gives some. */
function cells(health: Health | null, hasReasons: boolean): readonly string[] {
  const { status, message, conditions = [] } = health ?? { status: DOES_NOT_COUNT, message: '' };
  const style = STYLES[status];
  const reasons = conditions.map(({ reason }) => reason).join(', ');
  return [
    style === undefined ? status : styleText(style, status),
    ...(hasReasons ? [plain(reasons)] : []),
    plain(message),
  ];
}

function rowsOf(
  { object, health, wecs, decidedBy }: ObjectHealth,
  hasReasons: boolean,
): string[][] {
  const name = object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
  const own = [plain(`${object.kind} ${name}`), '', ...cells(health, hasReasons)];
  const ofWecs = wecs.map((wec) => {
    const mark = decidedBy.includes(wec.name) ? ' *' : '';
    return ['', plain(`${wec.name}${mark}`), ...cells(wec.health, hasReasons)];
  });
  return [own, ...ofWecs];
}

/**
 * A table for reading; a star marks the WECs that decide. kstatus has a column more, for reasons. Colours appear where the
 * output is a terminal.
 */
export function healthTable(results: readonly ObjectHealth[]): string {
  const hasReasons = results.some(({ health }) => health?.conditions !== undefined);
  const table = new Table({
    head: ['OBJECT', 'WEC', 'HEALTH', ...(hasReasons ? ['REASON'] : []), 'MESSAGE'],
    style: { head: [], border: [] },
  });
  for (const row of results.flatMap((result) => rowsOf(result, hasReasons))) table.push(row);
  return `${table.toString()}\n`;
}
