import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';
import type { WecsReporting } from './wecs-reporting.ts';

/** What the status of a Binding and of its BindingPolicy has to tell. */
export interface BindingReport {
  /** Names of the StatusCollectors that do not exist or are invalid, sorted. */
  readonly missingCollectors: readonly string[];
  /** Those of them that exist and are invalid, sorted; absent: none, or a release stored this that did not tell. */
  readonly invalidCollectors?: readonly string[];
  /** Whether its WECs report; absent: not known yet, or stored by a release that did not look. */
  readonly reporting?: WecsReporting;
  /** What is wrong with the Binding or its workload objects, in words. */
  readonly errors: readonly string[];
}

/** What is wanted of a Binding and of its BindingPolicy. */
export interface BindingResult extends BindingReport {
  /** What is wrong with the BindingPolicy, in words: told in its status alone, before the others. */
  readonly policyErrors: readonly string[];
}

const CONDITION = 'StatusCollectorsAvailable';
const REPORTING = 'WECsReporting';

/** Why what stands in the WDS is left as it is: the state is new, and sources have still to tell everything. */
export interface HeldReport {
  /** Some of these sources, as `wec/edge1`. */
  readonly sources: readonly string[];
  /** How many there are. */
  readonly count: number;
  /** RFC 3339. */
  readonly since: string;
}

/** So many sources are named. */
const MAX_NAMED = 3;

/** Tells Starfold's errors in `status.errors` from those that KubeStellar's own controllers put there. */
const PREFIX = 'starfold: ';
/** How the error begins that says that what stands is left as it is. */
const HELD = `${PREFIX}held since `;

/** KubeStellar calls both missing; what exists has a status that says what is wrong with it. */
function unavailableText(unavailable: readonly string[], invalid: readonly string[]): string {
  const missing = unavailable.filter((name) => !invalid.includes(name));
  const texts = [
    ...(missing.length > 0 ? [`Missing StatusCollector(s) [${missing.join(' ')}]`] : []),
    ...(invalid.length > 0
      ? [`Invalid StatusCollector(s) [${invalid.join(' ')}]: status.errors of each says why`]
      : []),
  ];
  return texts.join('; ');
}

/** A condition without the time of its last transition. */
interface ConditionContent extends JsonObject {
  readonly type: string;
  readonly status: string;
}

function collectorsCondition({
  missingCollectors,
  invalidCollectors = [],
}: BindingReport): ConditionContent {
  const isMissing = missingCollectors.length > 0;
  return {
    type: CONDITION,
    status: isMissing ? 'False' : 'True',
    reason: isMissing ? 'ReconcileError' : 'ReconcileSuccess',
    message: isMissing
      ? unavailableText(missingCollectors, invalidCollectors)
      : 'All StatusCollector(s) are available',
  };
}

/** The conditions with this one in the place of its type, or at the end; its transition is now only if its status changes. */
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

/** Whether the status of a Binding or BindingPolicy has a part of Starfold's, or of the controller that it stands in for. */
export function isReported(object: JsonObject): boolean {
  const conditions = listOf(at(object, 'status', 'conditions'));
  return conditions.some((entry) => member(entry, 'type') === CONDITION);
}

/**
 * The status of a Binding or BindingPolicy with Starfold's part in it: the conditions `StatusCollectorsAvailable`
 * (KubeStellar, status controller) and `WECsReporting`, and its errors, each marked as Starfold's; everything else stays as
 * it is. If nothing is known of its WECs, a condition that says something of them stays, too.
 *
 * @param object the Binding or BindingPolicy as it stands in the WDS
 * @param now RFC 3339; the time of the transition, if a condition changes
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
  const [they, their] =
    count === 1 ? ['source has', 'its forwarder runs'] : ['sources have', 'their forwarders run'];
  return `${HELD}${since}: the state of this installation is new, and ${count} ${they} still to tell everything (${named.join(', ')}${more}); until then what stands in this WDS is left as it is; see that ${their} (starfold doctor); if a WEC will not report again: starfold unregister wec/NAME`;
}

/**
 * The status of a Binding or BindingPolicy as it stands, and with it the error that it is held; an older one of that kind
 * goes. {@link bindingStatus} removes it.
 *
 * @param object as it stands in the WDS
 */
export function heldStatus(object: JsonObject, report: HeldReport): JsonObject {
  const before = member(object, 'status');
  const others = listOf(member(before, 'errors')).filter(
    (error) => !(typeof error === 'string' && error.startsWith(HELD)),
  );
  return { ...(isObject(before) ? before : {}), errors: [...others, heldText(report)] };
}
