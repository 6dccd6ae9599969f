import fc from 'fast-check';
import type { ArgoCdStatus, ArgoCdVersion } from '#shared/core/health/verdict.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import { fieldsOf } from '#shared/core/status/component.ts';

/** How Argo CD's verdict on an aggregate compares with the worst of its verdicts on the WECs' own objects. */
export interface Verdicts {
  readonly version: ArgoCdVersion;
  /** The worst verdict on a WEC. */
  readonly expected: ArgoCdStatus;
  readonly found: ArgoCdStatus;
  /** What the verdict that was found is, beside the expected one. */
  readonly comparison: 'same' | 'better' | 'worse';
}

/** What the proposal speaks of in the status of a kind: numbers, conditions, lists. Of all else it is silent. */
export interface LiteralFields {
  readonly numbers: readonly string[];
  /** The types of condition that are aggregated; absent: all. */
  readonly types?: readonly string[];
  /** Further fields of the literal aggregate, from what all WECs say and from its numbers and conditions. */
  readonly more?: (statuses: readonly JsonObject[], literal: JsonObject) => JsonObject;
}

/** A kind whose status an API server lets be written. */
export interface ServedKind {
  /** What it wants in a spec, besides what the sets say. */
  readonly spec: JsonObject;
  /** The schema of the status in the CustomResourceDefinition; absent: Kubernetes has the kind itself. */
  readonly status?: JsonObject;
}

/** How random objects of one kind are made, in the WDS and in WECs. */
export interface KindSets {
  readonly apiVersion: string;
  readonly kind: string;
  /** Whether Argo CD compares `observedGeneration`: then a WEC that lags is Progressing. */
  readonly readsGeneration: boolean;
  /** Whether that is a text; a status that states no number is then one of the current generation. */
  readonly generationIsText?: true;
  /** Whether the kind's objects have a `metadata.generation`. */
  readonly hasGeneration: boolean;
  /** For tests with real API servers; absent: they do not write the status of the kind. */
  readonly served?: ServedKind;
  /** What is compared with the letter of the proposal. */
  readonly literal: LiteralFields;
  /** Specs of the WDS's object. */
  readonly specs: fc.Arbitrary<JsonObject>;
  /** Annotations of the WDS's object; none where absent. */
  readonly annotations?: fc.Arbitrary<JsonObject>;
  /** Those of a WEC's own object, where they are not those of the WDS's. */
  readonly ownAnnotations?: fc.Arbitrary<JsonObject>;
  /** A WEC's own spec, where it differs from the WDS's; absent: it never does. */
  differingSpec?(spec: JsonObject): fc.Arbitrary<JsonObject>;
  /** Whether that may be the work of an autoscaler in the WEC, which leaves no annotation: then only `replicas` differs. */
  readonly scaledInWec?: boolean;
  /** The WDS's spec before its last change, which a lagging WEC may have without an annotation that says so. */
  olderSpec?(spec: JsonObject): JsonObject;
  /** The status that a WEC without one counts as; `{}` where absent, null for none at all. */
  readonly missingStatus?: JsonObject | null;
  /**
   * Statuses that the API server of a WEC would hold for this spec: every phase, reason and counter that Argo CD reads,
   * often enough to meet each other in one set; without `observedGeneration`, which is added where the kind has one, unless
   * it is a text that states no number.
   */
  statuses(spec: JsonObject): fc.Arbitrary<JsonObject>;
  /**
   * Why no status could make Argo CD's verdict on the WDS's object the worst of the WECs', in words; undefined where one
   * could. Only for what the rules say cannot be avoided, and for no other verdicts than that explains.
   *
   * @param verdicts which are not the same
   */
  unavoidable?(set: KindSet, verdicts: Verdicts): string | undefined;
}

/** A WEC, and what is true of it: the object as it stands there, and whether it acts on the WDS's generation. */
export interface KnownWec {
  readonly perWec: PerWecRow;
  /** The WEC's own object; absent where there is none. */
  readonly object?: JsonObject;
  readonly current: boolean;
}

/** An object in the WDS and in its WECs. */
export interface KindSet {
  readonly workload: WorkloadObject;
  readonly wecs: readonly KnownWec[];
  readonly specsByHash: ReadonlyMap<string, JsonValue>;
}

/** Which kinds of trouble the WECs of a set may have. */
export interface SetOptions {
  /** Whether WECs may have specs of their own. */
  readonly differingSpecs: boolean;
  /** Whether some may be missing, lagging, deleting, or have observed less than their own generation. */
  readonly outOfStep: boolean;
}

/** How many sets are made at once: 100,000 would fill the memory. */
const CHUNK = 500;

const TROUBLES = ['lagging', 'unobserved', 'deleting', 'no status', 'missing'] as const;
const OLDER_SPEC = 'older spec';
type Trouble = (typeof TROUBLES)[number] | typeof OLDER_SPEC | 'none';
const NO_TROUBLE = fc.constant<Trouble>('none');

interface Making {
  readonly kind: KindSets;
  readonly generation: number;
  readonly spec: JsonObject;
  /** Those of the WDS's object, which its copies have too, unless the kind says otherwise. */
  readonly annotations: JsonObject;
  readonly options: SetOptions;
}

interface Made {
  readonly trouble: Trouble;
  readonly own: JsonObject;
  readonly ownGeneration: number;
  /** Whether the annotation names the WDS's generation, though the specs tell it too. */
  readonly saysSource: boolean;
  /** Whether nothing is told of the WEC's object but its status, as in a WorkStatus. */
  readonly isStatusOnly: boolean;
  readonly annotations: JsonObject;
  readonly status: JsonObject;
}

function annotated(annotations: JsonObject): JsonObject {
  return Object.keys(annotations).length > 0 ? { annotations } : {};
}

function toldGeneration(kind: KindSets, observed: number): JsonObject {
  if (!kind.readsGeneration) return {};
  if (kind.generationIsText) return { observedGeneration: String(observed) };
  return observed === 0 ? {} : { observedGeneration: observed };
}

function objectOf(made: Made, { kind }: Making): JsonObject {
  const { trouble, own, ownGeneration, annotations, status } = made;
  const isUnobserved = trouble === 'unobserved';
  const told = toldGeneration(kind, ownGeneration - Number(isUnobserved));
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: {
      name: 'web',
      ...(kind.hasGeneration ? { generation: ownGeneration } : {}),
      ...annotated(annotations),
      ...(trouble === 'deleting' ? { deletionTimestamp: '2025-11-01T10:00:00Z' } : {}),
    },
    spec: own,
    ...(trouble === 'no status'
      ? {}
      : { status: { ...told, ...status, ...(isUnobserved ? told : {}) } }),
  };
}

/** What a forwarder makes of it. */
function rowOf(wec: string, made: Made, making: Making): WecRow {
  const { trouble, own, ownGeneration } = made;
  const { kind, generation, spec } = making;
  const { status } = objectOf(made, making);
  const differs = JSON.stringify(own) !== JSON.stringify(spec);
  const isAnnotated = trouble === 'lagging' || (made.saysSource && trouble !== OLDER_SPEC);
  const isScaled = differs && kind.scaledInWec === true;
  const mustSay = differs && !isScaled && trouble !== OLDER_SPEC;
  return {
    wec,
    uid: `uid-${wec}`,
    generation: kind.hasGeneration ? ownGeneration : 0,
    specHash: JSON.stringify(own),
    ...(isAnnotated || mustSay
      ? { sourceGeneration: generation - Number(trouble === 'lagging') }
      : {}),
    ...(isScaled ? { replicasFromScale: true } : {}),
    ...(trouble === 'deleting' ? { deleting: true } : {}),
    ...(status === undefined ? {} : { status }),
  };
}

/** What is known of it where KubeStellar's own agent tells its status: a WorkStatus has neither spec nor generation. */
function statusOnlyRow(wec: string, made: Made, making: Making): WecRow {
  return { wec, uid: '', generation: 0, ...fieldsOf(objectOf(made, making), 'status') };
}

/**
 * A WEC of which only the status is told has to be as the WDS is, in step and with as many generations: then the number
 * that it has observed is right as it stands.
 */
function withStatusOnly(made: Made, { generation, spec }: Making): Made {
  const isAsInWds = made.trouble === 'none' && made.own === spec;
  return made.isStatusOnly && isAsInWds
    ? { ...made, ownGeneration: generation }
    : { ...made, isStatusOnly: false };
}

function wecOf(index: number, making: Making): fc.Arbitrary<KnownWec> {
  const { kind, spec, options } = making;
  const wec = `wec${index}`;
  const { olderSpec } = kind;
  const troubles: readonly Trouble[] =
    olderSpec === undefined ? TROUBLES : [...TROUBLES, OLDER_SPEC];
  const other = options.differingSpecs ? kind.differingSpec?.(spec) : undefined;
  const own =
    other === undefined
      ? fc.constant(spec)
      : fc.oneof({ weight: 2, arbitrary: fc.constant(spec) }, other);
  return own
    .chain((ownSpec) =>
      fc.record<Made>({
        trouble: options.outOfStep
          ? fc.oneof({ weight: 12, arbitrary: NO_TROUBLE }, fc.constantFrom(...troubles))
          : NO_TROUBLE,
        own: fc.constant(ownSpec),
        ownGeneration: fc.integer({ min: 1, max: 9 }),
        saysSource: fc.boolean(),
        isStatusOnly: fc.nat({ max: 9 }).map((one) => one === 0),
        annotations: kind.ownAnnotations ?? fc.constant(making.annotations),
        status: kind.statuses(ownSpec),
      }),
    )
    .map((said): KnownWec => {
      const isOlder = said.trouble === OLDER_SPEC && olderSpec !== undefined;
      const told = withStatusOnly(said, making);
      const made = isOlder ? { ...told, own: olderSpec(told.own) } : told;
      if (made.trouble === 'missing') return { perWec: { wec }, current: false };
      return {
        perWec: { wec, row: (made.isStatusOnly ? statusOnlyRow : rowOf)(wec, made, making) },
        object: objectOf(made, making),
        current: made.trouble === 'none',
      };
    });
}

/** Sets of one to six WECs whose status their API servers would hold. */
export function kindSets(kind: KindSets, options: SetOptions): fc.Arbitrary<KindSet> {
  return fc
    .record({
      generation: fc.integer({ min: 1, max: 4 }),
      spec: kind.specs,
      annotations: kind.annotations ?? fc.constant({}),
      size: fc.integer({ min: 1, max: 6 }),
    })
    .chain(({ generation, spec, annotations, size }) => {
      const making = { kind, generation, spec, annotations, options };
      const wecs = Array.from({ length: size }, (_none, index) => wecOf(index, making));
      return fc.tuple(...wecs).map((made): KindSet => {
        const specs = made.flatMap(({ object }): [string, JsonValue][] => {
          const own = object?.['spec'];
          return own === undefined ? [] : [[JSON.stringify(own), own]];
        });
        const metadata = {
          name: 'web',
          namespace: 'shop',
          uid: 'wds-web',
          ...(kind.hasGeneration ? { generation } : {}),
          ...annotated(annotations),
        };
        const { apiVersion } = kind;
        return {
          workload: { apiVersion, kind: kind.kind, metadata, spec },
          wecs: made,
          specsByHash: new Map(specs),
        };
      });
    });
}

/** So many sets, in chunks; the same ones for the same seed. */
export function* sampledSets(
  sets: fc.Arbitrary<KindSet>,
  { total, seed }: { readonly total: number; readonly seed: number },
): Generator<readonly KindSet[]> {
  for (let done = 0; done < total; done += CHUNK)
    yield fc.sample(sets, { numRuns: Math.min(CHUNK, total - done), seed: seed + done });
}
