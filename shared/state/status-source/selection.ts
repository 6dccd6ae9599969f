import { STATUS_LABELS, selectableWecStatus } from '#shared/core/status-api/selectable.ts';
import { type StatusSelector, selects } from '#shared/core/status-api/selector.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import { parseWecStatusName } from '#shared/core/status-api/status-name.ts';
import type { BoundWorkload, WecState, WecStatus } from '#shared/core/status-api/wec-status.ts';

/** What a requirement can be decided from: an entry, what the WDS says of its object, a WEC of its Bindings, a row. */
type Level = 'entry' | 'object' | 'wec' | 'row';

const FIELD_LEVELS: ReadonlyMap<string, Level> = new Map([
  ['metadata.namespace', 'entry'],
  ['workload.name', 'entry'],
  ['workload.resource', 'entry'],
  ['workload.group', 'entry'],
  ['workload.kind', 'object'],
  ['wec', 'wec'],
  ['metadata.name', 'wec'],
]);
const LABEL_LEVELS: ReadonlyMap<string, Level> = new Map([
  [STATUS_LABELS.workload, 'entry'],
  [STATUS_LABELS.resource, 'entry'],
  [STATUS_LABELS.wec, 'wec'],
  [STATUS_LABELS.binding, 'wec'],
]);

function atLevel({ labels, fields }: StatusSelector, level: Level): StatusSelector {
  return {
    labels: labels.filter(({ key }) => (LABEL_LEVELS.get(key) ?? 'object') === level),
    fields: fields.filter(({ field }) => (FIELD_LEVELS.get(field) ?? 'row') === level),
  };
}

function isEmpty({ labels, fields }: StatusSelector): boolean {
  return labels.length === 0 && fields.length === 0;
}

/** A status of which nothing is known but what is given. */
function unread(known: Partial<WecStatus> & { readonly workload: WorkloadName }): WecStatus {
  return {
    kind: '',
    ownLabels: {},
    wec: '',
    state: 'NotReported',
    generation: {},
    bindings: [],
    ...known,
  };
}

function requiredValue({ fields }: StatusSelector, field: string): string | undefined {
  return fields.find((one) => one.field === field && one.operator === '=')?.value;
}

/** The names that a selector requires, as far as it does. */
export interface RequiredNames {
  readonly namespace?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
}

/**
 * The names that a selector requires.
 *
 * @param workloadIn the workload object in a `metadata.name`, which does not say the namespace
 */
export function requiredNames(
  selector: StatusSelector,
  workloadIn: (text: string) => WorkloadName | undefined,
): RequiredNames {
  const namespace = requiredValue(selector, 'metadata.namespace');
  const whole = requiredValue(selector, 'metadata.name');
  const group = requiredValue(selector, 'workload.group');
  const resource = requiredValue(selector, 'workload.resource');
  const name = requiredValue(selector, 'workload.name');
  const { namespace: _none, ...named } = (whole && workloadIn(whole)) || {};
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(group === undefined ? {} : { group }),
    ...(resource === undefined ? {} : { resource }),
    ...(name === undefined ? {} : { name }),
    ...named,
  };
}

/** A selector, by what its requirements can be decided from. What cannot be selected is not read. */
export class Selection {
  readonly #entry: StatusSelector;
  readonly #object: StatusSelector;
  readonly #wec: StatusSelector;
  readonly #row: StatusSelector;
  readonly required: RequiredNames;

  constructor(selector: StatusSelector) {
    this.#entry = atLevel(selector, 'entry');
    this.#object = atLevel(selector, 'object');
    this.#wec = atLevel(selector, 'wec');
    this.#row = atLevel(selector, 'row');
    this.required = requiredNames(selector, (text) => parseWecStatusName(text, '')?.workload);
  }

  /** Whether statuses of an object may be selected, as far as its name says. */
  mayNeed(workload: WorkloadName): boolean {
    return isEmpty(this.#entry) || selects(this.#entry, selectableWecStatus(unread({ workload })));
  }

  /** Whether statuses of an object may be selected, as far as the WDS says. */
  mayNeedObject(bound: BoundWorkload): boolean {
    return isEmpty(this.#object) || selects(this.#object, selectableWecStatus(unread(bound)));
  }

  /** Whether the status of a WEC may be selected, as far as the Bindings say. */
  mayNeedWec(workload: WorkloadName, wec: string, bindings: () => readonly string[]): boolean {
    if (isEmpty(this.#wec)) return true;
    const known = { workload, wec, bindings: bindings() };
    return selects(this.#wec, selectableWecStatus(unread(known)));
  }

  /** Whether rows decide what is selected, by the health or the state. */
  get needsRow(): boolean {
    return !isEmpty(this.#row);
  }

  /** Whether a status with this health and this state may be selected. */
  mayNeedRow(health: string, state: WecState): boolean {
    return selects(this.#row, { labels: {}, fields: { health, state } });
  }

  /** Whether a status is selected for which the other methods say that it may be. */
  hasStatus(status: WecStatus): boolean {
    return isEmpty(this.#row) || selects(this.#row, selectableWecStatus(status));
  }
}
