import { styleText } from 'node:util';
import Table from 'cli-table3';
import type { Health, ObjectHealth } from './assess-workload.ts';

type Style = Parameters<typeof styleText>[0];

const STYLES: Readonly<Record<string, Style>> = {
  Healthy: 'green',
  Suspended: 'blue',
  Progressing: 'yellow',
  Missing: 'yellow',
  Degraded: 'red',
  Unknown: 'magenta',
};
const DOES_NOT_COUNT = '(no rule)';
const CONTROL = /\p{Cc}+/gu;

/** Text that comes from clusters, without what would steer the terminal. */
function plain(text: string): string {
  return text.replaceAll(CONTROL, ' ');
}

function cells(health: Health): readonly string[] {
  if (health === null) return [DOES_NOT_COUNT, ''];
  const { status, message } = health;
  return [styleText(STYLES[status] ?? 'reset', status), plain(message)];
}

function rowsOf({ object, health, wecs, decidedBy }: ObjectHealth): string[][] {
  const name = object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
  const own = [plain(`${object.kind} ${name}`), '', ...cells(health)];
  const ofWecs = wecs.map((wec) => {
    const mark = decidedBy.includes(wec.name) ? ' *' : '';
    return ['', plain(`${wec.name}${mark}`), ...cells(wec.health)];
  });
  return [own, ...ofWecs];
}

/** A table for reading; a star marks the WECs that decide. Colours appear where the output is a terminal. */
export function healthTable(results: readonly ObjectHealth[]): string {
  const table = new Table({
    head: ['OBJECT', 'WEC', 'HEALTH', 'MESSAGE'],
    style: { head: [], border: [] },
  });
  for (const row of results.flatMap(rowsOf)) table.push(row);
  return `${table.toString()}\n`;
}
