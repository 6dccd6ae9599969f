import * as z from 'zod/mini';
import {
  type ErrorsOfWorkload,
  type WorkloadError,
  workloadErrorTexts,
} from '#shared/core/binding/workload-errors.ts';
import { equalJson } from '#shared/core/json.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { updateItem } from '#shared/state/compare-and-put.ts';
import { RANGE, range, sortableNumber } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';

/**
 * The origin of a workload object's errors: the aggregation, the API server that rejected a write, or the setting aside of the
 * object.
 */
export type ErrorOrigin = 'aggregate' | 'write' | 'aside';

/** A workload object's errors in one Binding, as one origin found them at one of its revisions. */
export interface ErrorReport {
  readonly bindingPk: string;
  readonly workload: string;
  readonly origin: ErrorOrigin;
  readonly revision: number;
  readonly errors: readonly WorkloadError[];
}

interface StoredErrors {
  readonly errors: readonly WorkloadError[];
  /** Whether the Binding was notified. Named as in release 0.1. */
  readonly told: boolean;
}

/** The schema of a list of errors. */
const workloadErrors = z.array(z.union([z.string(), looseObject({ singletonWecs: z.number() })]));
const ERRORS = bodyCodec<StoredErrors>(
  'list of errors',
  looseObject({ errors: workloadErrors, told: z.boolean() }),
);

function keyOf(report: ErrorReport): { pk: string; sk: string } {
  return { pk: report.bindingPk, sk: `${RANGE.error}${report.workload}#${report.origin}` };
}

function itemOf(report: ErrorReport, notified: boolean): Item {
  const version = `${sortableNumber(report.revision)}.${Number(notified)}`;
  return {
    ...keyOf(report),
    version,
    body: ERRORS.encode({ errors: report.errors, told: notified }),
  };
}

/**
 * Stores a workload object's errors in a Binding, unless a newer report is stored. An empty list is stored too, so that an
 * older report that arrives later does not take effect.
 *
 * @returns whether the Binding has to be notified; afterwards call {@link markErrorsNotified}.
 */
export function putErrors(store: ItemStore, report: ErrorReport): Promise<boolean> {
  return updateItem(store, keyOf(report), (item) => {
    const mine = `${sortableNumber(report.revision)}.0`;
    const version = item?.version ?? '';
    if (version >= mine) return { result: version === mine };
    const stored = item && ERRORS.decode(item);
    const notified = stored?.told === true && equalJson(stored.errors, report.errors);
    return { item: itemOf(report, notified), result: !notified };
  });
}

/** Stores that the Binding was notified of a report. */
export async function markErrorsNotified(
  store: ItemStore,
  report: ErrorReport,
): Promise<undefined> {
  await store.put([{ item: itemOf(report, true), condition: { type: 'newer' } }]);
}

/** Reads the texts that the errors of a Binding's workload objects have in its status. */
export async function readErrors(store: ItemStore, bindingPk: string): Promise<readonly string[]> {
  const entries: ErrorsOfWorkload[] = [];
  for await (const items of pages(store, range(bindingPk, RANGE.error)))
    for (const item of items) {
      const key = item.sk.slice(RANGE.error.length);
      const workload = key.slice(0, key.lastIndexOf('#'));
      entries.push({ workload, errors: ERRORS.decode(item).errors });
    }
  return workloadErrorTexts(entries);
}
