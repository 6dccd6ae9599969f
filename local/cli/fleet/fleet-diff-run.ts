import { plainJson, spanText } from '#local/cli/deployment/lines.ts';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import { prettyJson, prettyYaml } from '#local/cli/terminal/print.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { objectsDiffer } from '#local/start/display-messages.ts';
import { shortened } from '#local/tables/display-text.ts';
import { borderedTable } from '#local/tables/text-table.ts';
import { FLEET_KINDS } from '#shared/core/fleet-object.ts';
import { plainText } from '#shared/core/plain-text.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  allDifferences,
  differencesJson,
  type ObjectDifferences,
} from '#shared/state/fleet/differences.ts';
import { isListed } from '#shared/state/fleet/listed.ts';
import { readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import {
  moreFields,
  NO_DIFFERENCES,
  NO_UPSTREAM,
  notReadYet,
  REJECTED,
  unknownUpstream,
} from './messages.ts';

/** Longer values are cut in a table. The other formats show more of them. */
const MAX_VALUE_CHARACTERS = 60;
const NOTHING = '-';

function valueText(value: string | null): string {
  if (value === null) return NOTHING;
  return shortened(plainText(value), MAX_VALUE_CHARACTERS);
}

/** A line for each field. The first one names the object. */
function rowsOf(object: ObjectDifferences, nowMs: number): string[][] {
  const { subject, sinceMs, total, differences, refused } = object;
  const { upstream, resource, namespace, name } = subject;
  const fields = differences.map(({ field, fleet, starfold }) => [
    plainText(field),
    valueText(fleet),
    valueText(starfold),
  ]);
  const more = total - differences.length;
  const lines = [
    ...(refused === undefined ? [] : [[REJECTED, plainText(refused), '']]),
    ...fields,
    ...(more > 0 ? [[moreFields(more), '', '']] : []),
  ];
  const own = [
    plainText(upstream),
    FLEET_KINDS[resource],
    plainText(`${namespace}/${name}`),
    spanText(nowMs - sinceMs),
  ];
  return lines.map((line, index) => [...(index === 0 ? own : ['', '', '', '']), ...line]);
}

/**
 * A table for users: the present value in Fleet's status, and the value that Starfold would write. `-` means no value.
 */
function differencesTable(objects: readonly ObjectDifferences[], nowMs: number): string {
  if (objects.length === 0) return NO_DIFFERENCES;
  const rows = [
    ['UPSTREAM', 'KIND', 'OBJECT', 'FOR', 'FIELD', 'FLEET', 'STARFOLD'],
    ...objects.flatMap((object) => rowsOf(object, nowMs)),
  ];
  return borderedTable(rows);
}

/** The options of `starfold fleet diff`. */
export interface FleetDiffOptions {
  /** If absent, all. */
  readonly upstream?: string;
  /** Milliseconds. */
  readonly olderThan?: number;
  readonly output: 'table' | 'json' | 'yaml';
}

/** The dependencies of the command. */
export interface FleetDiffWorld {
  readonly store: ItemStore;
  readonly terminal: Terminal;
}

/** @throws InputError if nothing is known about them */
async function upstreamsOf(
  store: ItemStore,
  upstream: string | undefined,
): Promise<readonly string[]> {
  const reporting = (await readSourceHeartbeats(store, 'fleet')).map(({ name }) => name);
  if (reporting.length === 0) throw new InputError(NO_UPSTREAM);
  if (upstream === undefined) return reporting;
  if (reporting.includes(upstream)) return [upstream];
  throw new InputError(unknownUpstream(upstream, reporting));
}

function textOf(
  objects: readonly ObjectDifferences[],
  output: FleetDiffOptions['output'],
  nowMs: number,
): string {
  if (output === 'table') return differencesTable(objects, nowMs);
  const document = {
    objects: objects.map((object) => ({
      upstream: object.subject.upstream,
      ...differencesJson(object),
    })),
  };
  return output === 'json' ? plainJson(`${prettyJson(document)}\n`) : prettyYaml(document);
}

/** The management clusters whose forwarders have not reported all objects yet. */
async function unlistedOf(
  store: ItemStore,
  upstreams: readonly string[],
): Promise<readonly string[]> {
  const unlisted: string[] = [];
  for (const upstream of upstreams) if (!(await isListed(store, upstream))) unlisted.push(upstream);
  return unlisted;
}

/** The errors with which the command ends, in addition to its output. */
function faultsOf(differing: number, unlisted: readonly string[]): readonly string[] {
  return [...(differing === 0 ? [] : [objectsDiffer(differing)]), ...unlisted.map(notReadYet)];
}

/**
 * Shows the statuses of Fleet's objects that differ from Starfold's results.
 *
 * @throws InputError if there are differences, or a management cluster has not been read completely yet, after
 *   everything known is printed, or if no management cluster is known; what the store throws
 */
export async function runFleetDiff(
  options: FleetDiffOptions,
  { store, terminal }: FleetDiffWorld,
): Promise<void> {
  const { upstream, olderThan = 0, output } = options;
  const upstreams = await upstreamsOf(store, upstream);
  // This is read before the differences, because a complete cluster stays complete.
  const unlisted = await unlistedOf(store, upstreams);
  const found: ObjectDifferences[] = [];
  for (const one of upstreams)
    for await (const object of allDifferences(store, one)) found.push(object);
  const nowMs = terminal.clock();
  const shown = found.filter(({ sinceMs }) => nowMs - sinceMs >= olderThan);
  const faults = faultsOf(shown.length, unlisted);
  // An empty table reports that there are no differences.
  if (output !== 'table' || shown.length > 0 || faults.length === 0)
    terminal.out(textOf(shown, output, nowMs));
  if (faults.length > 0) throw new InputError(faults.join('; '));
}
