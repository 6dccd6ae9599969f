import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import type { BindingResult } from '#shared/core/binding/binding-status.ts';
import { refusedText } from '#shared/core/binding/oldest-bindings.ts';
import { silentAfterOf } from '#shared/core/binding/silent-after.ts';
import {
  bindingSilenceMs,
  type HeardOf,
  type WecsReporting,
  wecsReporting,
} from '#shared/core/binding/wecs-reporting.ts';
import {
  type ErrorsOfWorkload,
  type WorkloadError,
  workloadErrorTexts,
} from '#shared/core/binding/workload-errors.ts';
import { type CollectorStatus, collectorStatus } from '#shared/core/collector/collector-status.ts';
import {
  type CompiledCollector,
  compiledBytes,
} from '#shared/core/collector/compiled-collector.ts';
import { fittingCollectors } from '#shared/core/collector/compiled-share.ts';
import { compareText } from '#shared/core/collector/first-entries.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import type { KindSchema } from '#shared/core/expression/object-field.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { at, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { withoutMetadata, workloadContent } from '#shared/core/metadata.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import type { ApiResource } from '#shared/core/schema/built-in-kinds.ts';
import { policyErrors } from '#shared/core/schema/policy-errors.ts';
import {
  bindingSchemaErrors,
  resourceErrors,
  schemaUses,
} from '#shared/core/schema/schema-errors.ts';
import type { SilentWecs } from '#shared/core/silence.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';
import { hasStatusAsContent } from '#shared/core/status-as-content.ts';
import {
  parseWorkloadKey,
  type WorkloadRef,
  workloadKey,
  workloadTitle,
} from '#shared/core/workload.ts';
import {
  type ControlObjects,
  destinationsOf,
  membershipsFor,
  type WdsMemberships,
} from './membership.ts';
import { createWorkloadFold, type WorkloadResult } from './workload-fold.ts';
import type { WorkloadInputs } from './workload-inputs.ts';

/** A workload object with what the WECs report about it. */
export interface ReportedObject {
  readonly ref: WorkloadRef;
  /** `metadata.uid`, or a replacement for it. */
  readonly uid: string;
  /** The object as it is in the WDS. */
  readonly object: JsonObject;
  /** By WEC. A WEC that has reported nothing has no row. */
  readonly rows: ReadonlyMap<string, PerWecRow>;
  /** The WECs that have reported that they do not have the object any more. They have no row. If absent, this is not known. */
  readonly missing?: ReadonlySet<string>;
  /** The specs in the WECs, by the hashes in the rows. */
  readonly specs: ReadonlyMap<string, JsonValue>;
}

/** Returns the WECs that have been silent for longer than this number of milliseconds. */
export type SilentFor = (silenceMs: number) => ReadonlySet<string>;

/** A WDS, with everything that determines its results. */
export interface WdsState extends ControlObjects {
  /** Name of the WDS. */
  readonly wds: string;
  /** The content of the Bindings, BindingPolicies and StatusCollectors, read by `readMembership`. */
  readonly membership: WdsMemberships;
  readonly workloads: readonly ReportedObject[];
  /** The WECs that have been silent for longer than their limit. */
  readonly silent: SilentWecs;
  /** What is known of WECs, by name. Default: nothing. */
  readonly inventory?: NonNullable<WorkloadInputs['inventory']>;
  /**
   * Returns the WECs that have been silent for a number of milliseconds. If absent, no WEC counts as silent for a limit
   * of its own.
   */
  readonly silentFor?: SilentFor;
  /** When the WECs last sent a heartbeat. If absent, this is not known, and no Binding reports it. */
  readonly heard?: Omit<HeardOf, 'destinations' | 'silent'> & {
    readonly silent: (silenceMs: number) => HeardOf['silent'];
  };
  /** The schemas against which expressions are checked. */
  readonly schemaOf: (resource: ApiResource) => KindSchema;
}

/** The complete desired content of a WDS. */
export interface DesiredState {
  /** The results of the given workload objects, in the same order. */
  readonly workloads: readonly WorkloadResult[];
  /** The results for each Binding and its BindingPolicy, by name, in the order of names. */
  readonly bindings: ReadonlyMap<string, BindingResult>;
  /** By name. */
  readonly collectors: ReadonlyMap<string, CollectorStatus>;
}

/**
 * A workload object as rules and expressions see it. If each write of the status increases the generation, the
 * generation is left out. The UID is part of the names of its CombinedStatuses.
 */
export function contentOf({ object, uid }: Pick<ReportedObject, 'object' | 'uid'>): WorkloadObject {
  const observed = hasStatusAsContent(object) ? withoutMetadata(object, 'generation') : object;
  const content = workloadContent(observed);
  const metadata = isObject(content['metadata']) ? content['metadata'] : {};
  // Every object has apiVersion and kind.
  return { ...content, metadata: { ...metadata, uid } } as unknown as WorkloadObject;
}

/** What is known of WECs, besides what they report. */
type WecFacts = Partial<Pick<WdsState, 'silent' | 'silentFor' | 'inventory'>>;

/**
 * The rows of a workload object, one for each destination. A WEC that has been silent for longer than the object allows
 * counts as a WEC that has reported nothing (docs/rules.md, K1).
 */
export function rowsOf(
  membership: Pick<WdsMemberships, 'memberships'>,
  { ref, object, rows }: ReportedObject,
  silentFor: SilentFor | undefined,
): readonly PerWecRow[] {
  const silentAfterMs = silentAfterOf(object, membershipsFor(membership, ref));
  const unheard = silentAfterMs === undefined ? undefined : silentFor?.(silentAfterMs);
  return destinationsOf(membership, ref).map((wec) => {
    const row = rows.get(wec) ?? { wec };
    return unheard?.has(wec) === true ? { wec, uncounted: row } : row;
  });
}

/** The desired content for one workload object. All rows are folded at once, without stored parts. */
export function desiredWorkload(
  membership: WdsMemberships,
  workload: ReportedObject,
  { silent = new Map(), silentFor, inventory = new Map() }: WecFacts = {},
): WorkloadResult {
  const { ref, specs } = workload;
  const fold = createWorkloadFold({
    ref,
    object: contentOf(workload),
    memberships: membershipsFor(membership, ref),
    collectors: membership.collectors,
    specs,
    silent,
    inventory,
  });
  return fold.finish(foldRows(fold, rowsOf(membership, workload, silentFor)));
}

/** The parts of the desired status that cannot be written to the object. */
function unwritable(
  { ref, object }: ReportedObject,
  { desired: { status } }: WorkloadResult,
): readonly string[] {
  if (status.type !== 'status') return [];
  const { problem } = writableStatus(object, status.status, member(object, 'status'));
  return problem === undefined ? [] : [`${workloadTitle(ref)}: status: ${problem}`];
}

/** The errors of one workload object for one Binding. */
interface BindingError extends ErrorsOfWorkload {
  readonly binding: string;
}

/** The errors of Bindings that do not count for an object, whether or not the object exists. */
function refusals({ wds, membership }: WdsState): readonly BindingError[] {
  return [...membership.refused].flatMap(([key, refused]) => {
    const workload = `${wds}/${key}`;
    const errors = [refusedText(parseWorkloadKey(workload))];
    return refused.map((binding) => ({ binding, workload, errors }));
  });
}

function errorsOf(workload: ReportedObject, result: WorkloadResult): readonly BindingError[] {
  const key = workloadKey(workload.ref);
  const bindingError = (binding: string, errors: readonly WorkloadError[]) => ({
    binding,
    workload: key,
    errors,
  });
  const left = unwritable(workload, result);
  return [
    ...[...result.bindingErrors].map(([binding, errors]) => bindingError(binding, errors)),
    ...result.desired.bindings.map((binding) => bindingError(binding, left)),
  ];
}

function reportingOf(
  { heard }: WdsState,
  { spec, silentAfterMs }: WdsMemberships['bindings'][number],
): { readonly reporting?: WecsReporting } {
  if (heard === undefined) return {};
  const { destinations } = spec;
  const silent = heard.silent(bindingSilenceMs(silentAfterMs));
  return { reporting: wecsReporting({ ...heard, destinations, silent }) };
}

function desiredBinding(
  state: WdsState,
  binding: WdsMemberships['bindings'][number],
  errors: readonly BindingError[],
): BindingResult {
  const { membership, policies, collectors: givenCollectors, schemaOf } = state;
  const { given, spec } = binding;
  const { collectors } = membership;
  const { objects } = spec;
  const named = new Set(objects.flatMap(({ modulation }) => modulation.statusCollectors));
  const unavailable = [...named].filter((name) => !collectors.has(name)).sort();
  const existing = new Set(givenCollectors.map(({ name }) => name));
  const invalid = unavailable.filter((name) => existing.has(name));
  const valid = [...named].filter((name) => collectors.has(name)).sort();
  // A collector for which a Binding has no room is not compiled, and so not checked.
  const fitting = fittingCollectors(
    // Every valid collector is in the map.
    new Map(valid.map((name) => [name, compiledBytes(collectors.get(name) as CompiledCollector)])),
  );
  const checked = [...collectors].filter(([name]) => fitting.has(name));
  const uses = schemaUses(objects, new Map(checked));
  const schemaErrors = bindingSchemaErrors(
    uses.map((use) => ({ use, schema: schemaOf(use.resource) })),
  );
  // A Binding reports the errors of its objects in the order of their keys.
  const sorted = errors.toSorted((a, b) => compareText(a.workload, b.workload));
  const policy = policies.find(({ name }) => name === given.name);
  return {
    policyErrors: policy === undefined ? [] : policyErrors(parseBindingPolicy(policy.object)),
    missingCollectors: unavailable,
    ...(invalid.length === 0 ? {} : { invalidCollectors: invalid }),
    ...reportingOf(state, binding),
    errors: [
      ...spec.errors,
      ...resourceErrors(objects),
      ...schemaErrors,
      ...workloadErrorTexts(sorted),
    ],
  };
}

/**
 * The complete desired content of a WDS, computed only from its objects and the reports of the WECs: without events, a
 * store or a history. When nothing changes any more, an installation that computes step by step converges to this
 * result (invariant 1, docs/architecture.md).
 */
export function desiredState(state: WdsState): DesiredState {
  const { membership } = state;
  const workloads = state.workloads.map((one) => desiredWorkload(membership, one, state));
  const errors = Map.groupBy(
    [
      ...refusals(state),
      ...state.workloads.flatMap((workload, index) =>
        // There is a result for each workload object.
        errorsOf(workload, workloads[index] as WorkloadResult),
      ),
    ],
    ({ binding }) => binding,
  );
  return {
    workloads,
    bindings: new Map(
      membership.bindings.map((binding) => {
        const { name } = binding.given;
        return [name, desiredBinding(state, binding, errors.get(name) ?? [])];
      }),
    ),
    collectors: new Map(
      state.collectors.map(({ name, object }) => [
        name,
        collectorStatus(
          at(object, 'metadata', 'generation'),
          compileStatusCollector(member(object, 'spec') ?? {}),
        ),
      ]),
    ),
  };
}
