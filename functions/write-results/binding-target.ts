import {
  at,
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { ABSENT, facetOf, OWN_FACET, POLICY_FACET } from '#shared/state/facets.ts';
import { contentHash, type Subject } from '#shared/state/keys.ts';
import { controlRef, resourceVersionOf } from './object-fields.ts';
import type { Assignment, Target } from './use-case.ts';

const CONDITION = 'StatusCollectorsAvailable';

function texts(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function condition(
  missing: readonly string[],
  before: JsonValue | undefined,
  now: string,
): JsonObject {
  const status = missing.length > 0 ? 'False' : 'True';
  const kept =
    member(before, 'status') === status ? member(before, 'lastTransitionTime') : undefined;
  return {
    type: CONDITION,
    status,
    lastTransitionTime: kept ?? now,
    reason: missing.length > 0 ? 'ReconcileError' : 'ReconcileSuccess',
    message:
      missing.length > 0
        ? `Missing StatusCollector(s) [${missing.join(' ')}]`
        : 'All StatusCollector(s) are available',
  };
}

/** What a Binding's status has to tell. */
interface Report {
  readonly missing: readonly string[];
  readonly errors: readonly string[];
  /** The errors that Starfold put there before. */
  readonly reported: readonly string[];
  readonly now: string;
}

/**
 * The status of a Binding or BindingPolicy with Starfold's part in it: one condition, and its errors beside those that
 * KubeStellar's own controllers put there.
 */
function statusWith(seen: JsonObject, report: Report): JsonObject {
  const before = member(seen, 'status');
  const conditions = member(before, 'conditions');
  const entries = isArray(conditions) ? conditions : [];
  const mine = entries.findIndex((entry) => member(entry, 'type') === CONDITION);
  const next = condition(report.missing, entries[mine], report.now);
  const foreign = texts(member(before, 'errors')).filter(
    (error) => !report.reported.includes(error) && !report.errors.includes(error),
  );
  const errors = [...foreign, ...report.errors];
  const { errors: _errors, ...rest } = isObject(before) ? before : {};
  return {
    ...rest,
    observedGeneration: at(seen, 'metadata', 'generation') ?? 0,
    conditions: mine < 0 ? [...entries, next] : entries.with(mine, next),
    ...(errors.length > 0 ? { errors } : {}),
  };
}

async function writeStatus(
  api: ObjectApi,
  ref: ObjectRef,
  change: { readonly seen: JsonObject | undefined; readonly report: Report },
): Promise<string> {
  const { seen, report } = change;
  if (seen === undefined) return ABSENT;
  const status = statusWith(seen, report);
  const written = equalJson(member(seen, 'status'), status)
    ? seen
    : await api.replaceStatus(ref, { resourceVersion: resourceVersionOf(seen), status });
  return facetOf(written);
}

interface SeenBinding {
  readonly binding: JsonObject | undefined;
  readonly policy: JsonObject | undefined;
}

/** The status of a Binding and of the BindingPolicy of the same name: which collectors are missing, which errors there are. */
export function bindingTarget(
  assignment: Assignment<Extract<Subject, { type: 'binding' }>>,
): Target<SeenBinding> {
  const { deps, subject, desired, applied } = assignment;
  const api = deps.wds(subject.wds);
  const refs = {
    binding: controlRef('bindings', subject.name),
    policy: controlRef('bindingpolicies', subject.name),
  };
  return {
    async read() {
      const [binding, policy] = await Promise.all([api.get(refs.binding), api.get(refs.policy)]);
      return { binding, policy };
    },
    async write(seen) {
      const want = contentHash(stringifyJson(desired));
      const facet = (text: string): { want: string; seen: string } => ({ want, seen: text });
      const errors = texts(member(desired, 'errors'));
      const now = new Date(deps.clock()).toISOString().replace(/\.\d+Z$/, 'Z');
      const report: Report = {
        missing: texts(member(desired, 'missingCollectors')),
        errors,
        reported: applied.reported,
        now,
      };
      const isWanted = isObject(desired);
      const write = (ref: ObjectRef, object: JsonObject | undefined): Promise<string> =>
        writeStatus(api, ref, { seen: isWanted ? object : undefined, report });
      return {
        facets: {
          [OWN_FACET]: facet(await write(refs.binding, seen.binding)),
          [POLICY_FACET]: facet(await write(refs.policy, seen.policy)),
        },
        errorBindings: [],
        reported: errors,
      };
    },
  };
}
