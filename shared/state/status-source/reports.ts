import { secondsText } from '#shared/core/expression/time.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import { createWecStatus, type WecReport } from '#shared/core/status-api/create-wec-status.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { decodeHeartbeat, heartbeatKey } from '#shared/state/heartbeats.ts';
import { rowKey } from '#shared/state/keys.ts';
import { decodeRow, type StoredRow } from '#shared/state/rows.ts';
import { decodeSilence, silenceKey } from '#shared/state/silence.ts';
import type { SpecStore } from '#shared/state/specs.ts';
import { type BoundObject, bindingsOf } from './bound-object.ts';

/** A WEC to which a Binding sends an object. */
export interface Destination {
  readonly bound: BoundObject;
  readonly wec: string;
}

/** When a WEC last sent a heartbeat, and whether it is silent. */
export interface Contact {
  readonly lastContact?: string;
  readonly silent: boolean;
}

/** The contact of a WEC in the items of its heartbeat and of its silence. */
export function contactOf(heartbeat: Item | undefined, silence: Item | undefined): Contact {
  const heardMs = heartbeat && decodeHeartbeat(heartbeat).heardMs;
  return {
    ...(heardMs === undefined ? {} : { lastContact: secondsText(heardMs) }),
    silent: silence !== undefined && decodeSilence(silence).silent,
  };
}

/** The keys of the items of {@link contactOf}. */
export function contactKeys(wec: string): readonly [ItemKey, ItemKey] {
  return [heartbeatKey({ type: 'wec', name: wec }), silenceKey(wec)];
}

/**
 * Whether a stored row says that the WEC does not have the object any more. A row that was removed because no Binding named its
 * object says nothing.
 */
export function isMissing({ deleted, unnamed }: StoredRow): boolean {
  return deleted === true && unnamed === undefined;
}

/** What a stored row says. */
function reported(item: Item | undefined): Pick<WecReport, 'row' | 'oversizedBytes' | 'missing'> {
  if (item === undefined) return {};
  const stored = decodeRow(item);
  if (stored.deleted === true) return isMissing(stored) ? { missing: true } : {};
  const { row, oversizedBytes } = stored;
  return {
    ...(row === undefined ? {} : { row }),
    ...(oversizedBytes === undefined ? {} : { oversizedBytes }),
  };
}

/** What the statuses are made of. */
export interface ReportDeps {
  readonly store: ItemStore;
  readonly wds: string;
  readonly specs: SpecStore;
}

/** Reads the specs of rows, and adds them to those of their objects. */
export async function addSpecs(
  { specs }: Pick<ReportDeps, 'specs'>,
  reports: readonly (Pick<WecReport, 'row'> & Pick<Destination, 'bound'>)[],
): Promise<void> {
  const hashes = reports.flatMap(({ row }) => row?.specHash ?? []);
  const found = await specs.get(hashes);
  for (const { bound, row } of reports) {
    const hash = row?.specHash;
    const spec = hash === undefined ? undefined : found.get(hash);
    if (hash !== undefined && spec !== undefined) bound.specs.set(hash, spec);
  }
}

/** What WECs report, in the order of the question. */
export interface Reports {
  readonly statuses: readonly WecStatus[];
  /** About how many bytes the statuses have. */
  readonly bytes: number;
}

/** About how many bytes a status has. */
export function statusBytes(
  item: Item | undefined,
  { status }: { readonly status?: JsonValue | undefined },
): number {
  const body = item?.body ?? '';
  if (typeof body === 'string') return body.length;
  // A compressed body may be a thousand times larger.
  return status === undefined ? 0 : jsonBytes(status);
}

/** Reads what WECs report. One read for all rows, and for the contact of each WEC. */
export async function readReports(
  deps: ReportDeps,
  destinations: readonly Destination[],
  signal?: AbortSignal,
): Promise<Reports> {
  const wecs = [...new Set(destinations.map(({ wec }) => wec))];
  const rowKeys = destinations.map(({ bound, wec }) => {
    const ref: WorkloadRef = { ...bound.workload, wds: deps.wds };
    return rowKey(ref, wec);
  });
  const items = await deps.store.get([...rowKeys, ...wecs.flatMap(contactKeys)], signal);
  const at = destinations.length;
  const contacts = new Map(
    wecs.map((wec, index) => [wec, contactOf(items[at + 2 * index], items[at + 2 * index + 1])]),
  );
  const reports = destinations.map((destination, index) => ({
    ...destination,
    ...reported(items[index]),
    silent: false,
    ...contacts.get(destination.wec),
    bindings: bindingsOf(destination.bound, destination.wec),
  }));
  await addSpecs(deps, reports);
  const statuses = reports.map((report) => createWecStatus(report.bound, report));
  const sizes = statuses.map((status, index) => statusBytes(items[index], status));
  return { statuses, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
