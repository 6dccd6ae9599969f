import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';
import { ALL_AVAILABLE, held, invalidCollectors, missingCollectors } from './messages.ts';
import type { WecsReporting } from './wecs-reporting.ts';

/** What Starfold reports in the status of a Binding and of its BindingPolicy. */
export interface BindingReport {
  /** Names of the StatusCollectors that do not exist or are invalid, sorted. */
  readonly missingCollectors: readonly string[];
  /**
   * Names of the missing collectors that exist but are invalid, sorted. Absent if there are none, or if the release
   * that stored this did not record them.
   */
  readonly invalidCollectors?: readonly string[];
  /**
   * Whether the WECs of the Binding report. Absent if this is not known yet, or if the release that stored this did not
   * check.
   */
  readonly reporting?: WecsReporting;
  /** Errors of the Binding or of its workload objects, as texts. */
  readonly errors: readonly string[];
}

/** The desired result of a Binding and of its BindingPolicy. */
export interface BindingResult extends BindingReport {
  /** Errors of the BindingPolicy, as texts. They are reported only in its own status, before the other errors. */
  readonly policyErrors: readonly string[];
}

const CONDITION = 'StatusCollectorsAvailable';
const REPORTING = 'WECsReporting';

/** Why the content of the WDS is kept as it is: the state is new, and some sources have not reported everything yet. */
export interface HeldReport {
  /** Some of these sources, such as `wec/edge1`. */
  readonly sources: readonly string[];
  /** How many such sources there are. */
  readonly count: number;
  /** RFC 3339. */
  readonly since: string;
}

/** At most this many sources are named. */
const MAX_NAMED = 3;

/** Distinguishes Starfold's errors in `status.errors` from those of KubeStellar's own controllers. */
const PREFIX = 'starfold: ';
/** The beginning of the error which reports that the content of the WDS is kept. */
const HELD = `${PREFIX}held since `;

/** KubeStellar calls both missing. An invalid collector exists, and its own status reports its errors. */
function unavailableText(unavailable: readonly string[], invalid: readonly string[]): string {
  const missing = unavailable.filter((name) => !invalid.includes(name));
  const texts = [
    ...(missing.length > 0 ? [missingCollectors(missing.join(' '))] : []),
    ...(invalid.length > 0 ? [invalidCollectors(invalid.join(' '))] : []),
  ];
  return texts.join('; ');
}

/** A condition without the time of its last transition. */
interface ConditionContent extends JsonObject {
  readonly type: string;
  readonly status: string;
}

function collectorsCondition({
  missingCollectors: missing,
  invalidCollectors: invalid = [],
}: BindingReport): ConditionContent {
  const isMissing = missing.length > 0;
  return {
    type: CONDITION,
    status: isMissing ? 'False' : 'True',
    reason: isMissing ? 'ReconcileError' : 'ReconcileSuccess',
    message: isMissing ? unavailableText(missing, invalid) : ALL_AVAILABLE,
  };
}

/**
 * The conditions, with this one in place of the condition of its type, or at the end. The transition time becomes now
 * only if the status changes.
 */
function withCondition(
  conditions: readonly JsonValue[],
  { type, status, ...content }: ConditionContent,
  now: string,
): readonly JsonValue[] {
  const index = conditions.findIndex((entry) => member(entry, 'type') === type);
  const before = conditions[index];
  const kept =
    member(before, 'status') === status ? member(before, 'lastTransitionTime') : undefined;
  const next = { type, status, lastTransitionTime: kept ?? now, ...content };
  return index < 0 ? [...conditions, next] : conditions.with(index, next);
}

function isForeign(error: JsonValue): boolean {
  return !(typeof error === 'string' && error.startsWith(PREFIX));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/**
 * Whether the status of a Binding or BindingPolicy has a part written by Starfold, or by the controller that Starfold
 * replaces.
 */
export function isReported(object: JsonObject): boolean {
  const conditions = listOf(at(object, 'status', 'conditions'));
  return conditions.some((entry) => member(entry, 'type') === CONDITION);
}

/**
 * The status of a Binding or BindingPolicy with Starfold's part: the conditions `StatusCollectorsAvailable`
 * (KubeStellar, status controller) and `WECsReporting`, and Starfold's errors, each with a prefix. All other content is
 * kept. If nothing is known of the WECs, an existing condition about the WECs is kept too.
 *
 * @param object the Binding or BindingPolicy as it is in the WDS
 * @param now RFC 3339; the transition time if a condition changes
 */
export function bindingStatus(object: JsonObject, report: BindingReport, now: string): JsonObject {
  const before = member(object, 'status');
  const observedGeneration = at(object, 'metadata', 'generation') ?? 0;
  const own = [
    collectorsCondition(report),
    ...(report.reporting === undefined
      ? []
      : [{ type: REPORTING, ...report.reporting, observedGeneration }]),
  ];
  const foreign = listOf(member(before, 'errors')).filter(isForeign);
  const errors = [...foreign, ...report.errors.map((error) => `${PREFIX}${error}`)];
  const { errors: _errors, ...rest } = isObject(before) ? before : {};
  return {
    ...rest,
    observedGeneration,
    conditions: own.reduce<readonly JsonValue[]>(
      (conditions, one) => withCondition(conditions, one, now),
      listOf(member(before, 'conditions')),
    ),
    ...(errors.length > 0 ? { errors } : {}),
  };
}

function heldText({ sources, count, since }: HeldReport): string {
  const named = sources.slice(0, MAX_NAMED);
  const others = count - named.length;
  const more = others > 0 ? ` and ${others} more` : '';
  return `${PREFIX}${held(since, `${named.join(', ')}${more}`, count)}`;
}

/**
 * The present status of a Binding or BindingPolicy, with an error which reports that the Binding is held. This error
 * replaces an older one of its kind. {@link bindingStatus} removes it.
 *
 * @param object the Binding or BindingPolicy as it is in the WDS
 */
export function heldStatus(object: JsonObject, report: HeldReport): JsonObject {
  const before = member(object, 'status');
  const others = listOf(member(before, 'errors')).filter(
    (error) => !(typeof error === 'string' && error.startsWith(HELD)),
  );
  return { ...(isObject(before) ? before : {}), errors: [...others, heldText(report)] };
}
