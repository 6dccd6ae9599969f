import { contentHash } from '#shared/content-hash.ts';
import {
  type BindingResult,
  bindingStatus,
  type HeldReport,
  heldStatus,
  isReported,
} from '#shared/core/binding/binding-status.ts';
import { secondsText } from '#shared/core/expression/time.ts';
import { equalJson, isObject, type JsonObject, member, stringifyJson } from '#shared/core/json.ts';
import { controlRef } from '#shared/core/kubestellar.ts';
import { resourceVersionOf } from '#shared/core/metadata.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { ABSENT, facetOf, OWN_FACET, POLICY_FACET } from '#shared/state/facets.ts';
import type { Facet, Head } from '#shared/state/head.ts';
import { type Held, isLongHeld, markHeldTold, noteHeld } from '#shared/state/held.ts';
import type { Assignment, Target } from './target.ts';
import { isAsApplied } from './write-context.ts';

interface SeenBinding {
  readonly binding: JsonObject | undefined;
  readonly policy: JsonObject | undefined;
}

/** Who is awaited, and since when. */
function heldReport({ awaits = [], awaited = awaits.length }: Head, { sinceMs }: Held): HeldReport {
  return { sources: awaits, count: awaited, since: secondsText(sinceMs) };
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
  const want = contentHash(stringifyJson(desired));
  const now = secondsText(deps.clock());
  const facet = (seen: JsonObject | undefined): Facet => ({
    want,
    seen: seen !== undefined && isObject(desired) ? facetOf(seen) : ABSENT,
  });
  const setStatus = async (
    ref: ObjectRef,
    seen: JsonObject,
    status: JsonObject,
  ): Promise<JsonObject> =>
    equalJson(member(seen, 'status'), status)
      ? seen
      : api.replaceStatus(ref, { resourceVersion: resourceVersionOf(seen), status });
  const tellHeld = async (
    ref: ObjectRef,
    seen: JsonObject | undefined,
    report: HeldReport,
  ): Promise<void> => {
    if (seen !== undefined) await setStatus(ref, seen, heldStatus(seen, report));
  };
  const write = async (ref: ObjectRef, seen: JsonObject | undefined): Promise<Facet> => {
    // As far as is known there is neither a Binding nor a BindingPolicy.
    if (seen === undefined || !isObject(desired)) return facet(seen);
    // The aggregation stored a BindingResult.
    const report = desired as unknown as BindingResult;
    const own = ref === refs.policy ? report.policyErrors : [];
    const status = bindingStatus(seen, { ...report, errors: [...own, ...report.errors] }, now);
    return facet(await setStatus(ref, seen, status));
  };
  return {
    async read() {
      const [binding, policy] = await Promise.all([api.get(refs.binding), api.get(refs.policy)]);
      return { binding, policy };
    },
    isLeft: ({ binding, policy }) =>
      [binding, policy].some((seen) => seen !== undefined && isReported(seen)),
    async hold({ binding, policy }, head) {
      if (!isObject(desired)) return;
      const held = await noteHeld(deps.store, subjectPartition(subject), deps.clock());
      if (!isLongHeld(held, deps.clock())) return;
      const report = heldReport(head, held);
      await tellHeld(refs.binding, binding, report);
      await tellHeld(refs.policy, policy, report);
      if (!held.told) await markHeldTold(deps.store, held);
    },
    isAsApplied: ({ binding, policy }) =>
      isAsApplied(applied.facets[OWN_FACET], facet(binding)) &&
      isAsApplied(applied.facets[POLICY_FACET], facet(policy)),
    async write({ binding, policy }) {
      return {
        facets: {
          [OWN_FACET]: await write(refs.binding, binding),
          [POLICY_FACET]: await write(refs.policy, policy),
        },
        errorBindings: [],
        reported: [],
      };
    },
  };
}
