import { readSilentAfter } from '#shared/core/binding/silent-after.ts';
import type { WorkloadError } from '#shared/core/binding/workload-errors.ts';
import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import type { CollectorPart } from '#shared/core/collector/collector-fold.ts';
import {
  type CombinedStatusInput,
  combinedStatus,
  combinedStatusName,
  combinedStatusNamespace,
} from '#shared/core/collector/combined-status.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import { type Fold, lifterOf } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import { MAX_STATUS_BYTES } from '#shared/core/limits.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import {
  decideStatus,
  type StatusDecision,
  type StatusOutcome,
  statusOutcome,
} from '#shared/core/status/decision.ts';
import { statusFoldFor } from '#shared/core/status/kinds/rules.ts';
import type { Census } from '#shared/core/status-api/census.ts';
import { type WorkloadRef, workloadTitle } from '#shared/core/workload.ts';
import { type OtherLifePart, otherLifeErrors } from './other-life-fold.ts';
import { OVERSIZED, type OversizedPart, oversizedErrors } from './oversized-fold.ts';
import type { WorkloadInputs } from './workload-inputs.ts';
import { type BindingComponents, type Layout, layout } from './workload-layout.ts';

/** A CombinedStatus that should exist. */
export interface DesiredCombinedStatus extends JsonObject {
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
}

/** The desired content of the WDS for one workload object. */
export interface DesiredWorkload {
  /**
   * API version with which the object is read and written: the version in which the WDS has sent it, because the WDS
   * serves that version. A Binding may have any version, which is used only while the object has not been seen. `''` if
   * nothing has ever named the object.
   */
  readonly version: string;
  /**
   * UID of the object in the WDS to which this content belongs. An object that was created again under its name is
   * another object, about which nothing is known yet. Absent if the object is not known, and in what older releases
   * stored.
   */
  readonly uid?: string;
  readonly status: StatusOutcome;
  readonly combinedStatuses: readonly DesiredCombinedStatus[];
  /** Names of the Bindings that name the object. */
  readonly bindings: readonly string[];
}

/** The results of a workload object, and their errors for each Binding that names the object. */
export interface WorkloadResult {
  readonly desired: DesiredWorkload;
  readonly bindingErrors: ReadonlyMap<string, readonly WorkloadError[]>;
  /** What was left out because of its size, as texts. The errors of Bindings include these texts. */
  readonly dropped: readonly string[];
  /** The WECs that lists of the API find without their rows. Absent if the object is not known or is being deleted. */
  readonly census?: Census;
  /** Argo CD's verdict on the object with the desired status. Absent without such a status, and if Argo CD has no rule. */
  readonly verdict?: ArgoCdVerdict;
}

/** The position of the census in a {@link WorkloadPart}. */
const CENSUS_INDEX = 3;

/** The census in the part of some rows. Undefined if the part has none. */
export function censusIn(part: WorkloadPart): Census | undefined {
  // In the order of the components.
  return part[CENSUS_INDEX] as Census | undefined;
}

/** The part of each component fold, in a fixed order. */
export type WorkloadPart = readonly JsonValue[];
/** The fold of everything that Starfold computes for one workload object. */
export type WorkloadFold = Fold<PerWecRow, WorkloadPart, WorkloadResult>;

function uidOf(object: WorkloadObject): string {
  const uid = at(object, 'metadata', 'uid');
  return typeof uid === 'string' ? uid : '';
}

/**
 * The desired result for an object without results. An object that is being deleted is not changed, and neither is an
 * object that a Binding names and that has not been seen yet. An object that no Binding names and that has not been
 * seen may still exist in the WDS, because only objects that Bindings name are followed. It must not contain anything
 * from Starfold.
 */
function outcomeWithoutResults({ object, memberships }: WorkloadInputs): StatusOutcome {
  const isForgotten = object === undefined && memberships.length === 0;
  const nothing = { singletonRequested: false, multiRequested: false, qualified: [] };
  return statusOutcome({ ...nothing, action: isForgotten ? 'clear' : 'leave' }, undefined);
}

/** The fold of an object without results: it is not known, or is being deleted. */
function withoutResults(inputs: WorkloadInputs): WorkloadFold {
  const { object, memberships, lastVersion } = inputs;
  const desired = {
    version:
      object === undefined ? (lastVersion ?? memberships[0]?.version ?? '') : versionOf(object),
    status: outcomeWithoutResults(inputs),
    combinedStatuses: [],
    bindings: memberships.map(({ binding }) => binding),
  };
  return {
    empty: [],
    lift: () => [],
    merge: () => [],
    finish: () => ({ desired, bindingErrors: new Map(), dropped: [] }),
  };
}

class Results {
  readonly #inputs: WorkloadInputs;
  readonly #object: WorkloadObject;
  readonly #layout: Layout;
  readonly #decision: StatusDecision;
  readonly #decide: (part: JsonValue) => StatusOutcome;

  constructor(
    inputs: WorkloadInputs,
    made: {
      readonly object: WorkloadObject;
      readonly layout: Layout;
      readonly decision: StatusDecision;
      readonly decide: (part: JsonValue) => StatusOutcome;
    },
  ) {
    this.#inputs = inputs;
    this.#object = made.object;
    this.#layout = made.layout;
    this.#decision = made.decision;
    this.#decide = made.decide;
  }

  finish(part: WorkloadPart): WorkloadResult {
    const [statusPart, oversized, otherLives] = part;
    const { ref, memberships } = this.#inputs;
    // In the order of the components.
    const { status, statusErrors } = this.#status(statusPart as JsonValue);
    const tooLarge = oversizedErrors(ref, OVERSIZED.finish(oversized as OversizedPart));
    const uncounted = otherLifeErrors(ref, otherLives as OtherLifePart);
    const wrong = readSilentAfter(this.#object).errors;
    const common = [...wrong.map((error) => `${workloadTitle(ref)}: ${error}`), ...tooLarge];
    const combinedStatuses: DesiredCombinedStatus[] = [];
    const bindingErrors = new Map<string, readonly WorkloadError[]>();
    for (const binding of this.#layout.bindings) {
      const input = this.#combined(binding, part);
      const combined = combinedStatus(input);
      const errors = [
        ...this.#wrongNumber(binding.membership),
        ...common,
        ...(returnsStatus(binding.membership) ? [...uncounted, ...statusErrors] : []),
        ...combined.errors,
      ];
      if (errors.length > 0) bindingErrors.set(binding.membership.binding, errors);
      if (binding.membership.modulation.statusCollectors.length > 0)
        combinedStatuses.push({
          namespace: combinedStatusNamespace(ref),
          name: combinedStatusName(input.owner.uid, input.binding),
          object: combined.object,
        });
    }
    const uid = uidOf(this.#object);
    const desired: DesiredWorkload = {
      version: versionOf(this.#object),
      ...(uid === '' ? {} : { uid }),
      status,
      combinedStatuses,
      bindings: memberships.map(({ binding }) => binding),
    };
    const dropped = [...tooLarge, ...statusErrors];
    const census = censusIn(part);
    const verdict = this.#verdict(status);
    return {
      desired,
      bindingErrors,
      dropped,
      ...(census && { census }),
      ...(verdict && { verdict }),
    };
  }

  #verdict(outcome: StatusOutcome): ArgoCdVerdict | undefined {
    if (outcome.type !== 'status') return undefined;
    return assessArgoCd({ ...this.#object, status: outcome.status }) ?? undefined;
  }

  /**
   * The desired `.status`. A status that is too large for an API server is cleared, because the present status would be
   * out of date without any sign of it.
   */
  #status(part: JsonValue): { status: StatusOutcome; statusErrors: readonly string[] } {
    const status = this.#decide(part);
    if (status.type !== 'status' || jsonBytes(status.status, MAX_STATUS_BYTES) <= MAX_STATUS_BYTES)
      return { status, statusErrors: [] };
    const cleared = statusOutcome(this.#decision, undefined);
    const bytes = jsonBytes(status.status);
    return { status: cleared, statusErrors: [statusTooLarge(this.#inputs.ref, bytes)] };
  }

  /** Singleton status is requested but not returned, because the number of WECs is wrong. */
  #wrongNumber({ modulation }: WorkloadMembership): readonly WorkloadError[] {
    const { action, qualified } = this.#decision;
    if (!modulation.wantSingletonReportedState || action !== 'clear') return [];
    return [{ singletonWecs: qualified.length }];
  }

  #combined(
    { membership, collectors, refused }: BindingComponents,
    part: WorkloadPart,
  ): CombinedStatusInput {
    const { binding, bindingUid, policyUid } = membership;
    const { apiVersion, kind } = this.#object;
    return {
      workload: this.#inputs.ref,
      owner: { apiVersion, kind, uid: uidOf(this.#object) },
      binding: {
        name: binding,
        uid: bindingUid,
        ...(policyUid === undefined ? {} : { policyUid }),
      },
      results: [
        ...refused,
        ...collectors.map(({ name, index, fold }) => ({
          name,
          // The part at this index comes from the fold of this collector.
          result: fold.finish(part[index] as CollectorPart),
        })),
      ],
    };
  }
}

function versionOf(object: WorkloadObject): string {
  return object.apiVersion.slice(object.apiVersion.indexOf('/') + 1);
}

/** Whether a Binding requests the return of `.status`. */
function returnsStatus({ modulation }: WorkloadMembership): boolean {
  return modulation.wantSingletonReportedState || modulation.wantMultiWECReportedState;
}

/** Whether a WEC is in the qualified set. The set may have 10,000 members, so it is not copied. */
function isQualified(memberships: readonly WorkloadMembership[]): (wec: string) => boolean {
  const sets = memberships.filter(returnsStatus).map(({ destinations }) => destinations.set);
  return (wec) => sets.some((set) => set.has(wec));
}

/**
 * The fold of everything that Starfold computes for one workload object: its `.status` and labels (decided by {@link
 * decideStatus}), and a CombinedStatus for each Binding that names collectors for it. The rows are the destinations of
 * its Bindings, each WEC once.
 */
export function createWorkloadFold(inputs: WorkloadInputs): WorkloadFold {
  const { object, specs } = inputs;
  if (object === undefined || isDeleting(object)) return withoutResults(inputs);
  const decision = decideStatus(
    object,
    inputs.memberships.map(({ modulation, destinations }) => ({
      ...modulation,
      destinations: destinations.names,
    })),
  );
  const fold = statusFoldFor(decision.action, object, specs);
  const isReturned = decision.action === 'copy' || decision.action === 'aggregate';
  const takes = isReturned ? isQualified(inputs.memberships) : () => false;
  const made = layout(inputs, object, { fold, takes });
  const decide = (part: JsonValue): StatusOutcome => statusOutcome(decision, fold.finish(part));
  const results = new Results(inputs, { object, layout: made, decision, decide });
  const { components } = made;
  const empty = components.map((component) => component.fold.empty);
  return {
    empty,
    lift: (row) =>
      components.map(({ fold: component, takes }) =>
        takes(row.wec) ? component.lift(row) : component.empty,
      ),
    lifter() {
      const lifting = components.map(({ fold: component, takes }) => ({
        takes,
        none: component.empty,
        lift: lifterOf(component),
      }));
      return (row) => lifting.map(({ takes, none, lift }) => (takes(row.wec) ? lift(row) : none));
    },
    merge: (a, b) =>
      components.map(({ fold: component }, index) =>
        component.merge(a[index] ?? component.empty, b[index] ?? component.empty),
      ),
    finish: (part) => results.finish(part),
  };
}

/** The error of a status of this size in bytes, which is infinite if the status is nested too deep. */
export function statusTooLarge(ref: WorkloadRef, bytes: number): string {
  const size = Number.isFinite(bytes) ? `${bytes} bytes` : 'nested too deep to count';
  return `${workloadTitle(ref)}: its status takes more than ${MAX_STATUS_BYTES} bytes as JSON, or is nested too deep, and is cleared: make the statuses in the WECs smaller, or send the object to fewer WECs (it is ${size})`;
}
