import { selectableWorkload } from '#shared/core/explanation/selectable-explanation.ts';
import { STATUS_LABELS } from '#shared/core/status-api/selectable.ts';
import { EVERYTHING, type StatusSelector, selects } from '#shared/core/status-api/selector.ts';
import { parseWorkloadText, type WorkloadName } from '#shared/core/status-api/status-name.ts';
import type { BoundWorkload } from '#shared/core/status-api/wec-status.ts';
import type { WorkloadsRequest } from '#shared/ports/status-source.ts';
import type { BoundObject } from './bound-object.ts';
import { type RequiredNames, requiredNames } from './selection.ts';

/** The labels that the name of an object decides. All fields but one are names. */
const NAME_LABELS: ReadonlySet<string> = new Set([STATUS_LABELS.workload, STATUS_LABELS.resource]);

/** Which workload objects a request is about. What the name of an object excludes is not read. */
export class WorkloadSelection {
  readonly #readable: WorkloadsRequest['readable'];
  readonly #selector: StatusSelector;
  readonly #byName: StatusSelector;
  readonly #wecs: readonly string[] | undefined;
  readonly required: RequiredNames;

  constructor({ readable, selector = EVERYTHING, wecs }: WorkloadsRequest) {
    this.#readable = readable;
    this.#selector = selector;
    this.#byName = {
      labels: selector.labels.filter(({ key }) => NAME_LABELS.has(key)),
      fields: selector.fields.filter(({ field }) => field !== 'workload.kind'),
    };
    this.#wecs = wecs;
    this.required = requiredNames(selector, (text) => parseWorkloadText(text, ''));
  }

  /** Whether an object may be wanted, as far as its name says. */
  mayNeed(workload: WorkloadName): boolean {
    const unread = { workload, kind: '', ownLabels: {} };
    return this.#readable(workload) && selects(this.#byName, selectableWorkload(unread));
  }

  /** Whether an object is wanted whose name allows it. */
  has({ memberships }: BoundObject, bound: BoundWorkload): boolean {
    const isSent = (wec: string): boolean =>
      memberships.some(({ destinations }) => destinations.set.has(wec));
    return selects(this.#selector, selectableWorkload(bound)) && (this.#wecs?.some(isSent) ?? true);
  }
}
