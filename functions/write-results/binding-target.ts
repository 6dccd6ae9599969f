import { contentHash } from '#shared/content-hash.ts';
import {
  bindingStatus,
  type HeldReport,
  heldStatus,
  isReported,
} from '#shared/core/binding/binding-status.ts';
import { secondsText } from '#shared/core/expression/time.ts';
import { equalJson, type JsonObject, member, stringifyJson } from '#shared/core/json.ts';
import { controlRef } from '#shared/core/kubestellar.ts';
import { resourceVersionOf } from '#shared/core/metadata.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { BINDING_RESULT } from '#shared/state/contents.ts';
import { type Head, type OwnedHashes, resultKey } from '#shared/state/head.ts';
import { type Held, isLongHeld, markHeldReported, noteHeld } from '#shared/state/held.ts';
import { ABSENT, OWN_OBJECT, OWN_POLICY, ownedHash } from '#shared/state/owned-hashes.ts';
import type { Assignment, Target } from './target.ts';
import { isAsApplied } from './write-context.ts';

interface CurrentBinding {
  readonly binding: JsonObject | undefined;
  readonly policy: JsonObject | undefined;
}

/** The report with the awaited sources, and since when the Binding is held. */
function heldReport({ awaits = [], awaited = awaits.length }: Head, { sinceMs }: Held): HeldReport {
  return { sources: awaits, count: awaited, since: secondsText(sinceMs) };
}

/** Writes the status of a Binding and of the BindingPolicy of the same name: missing collectors, and errors. */
export function bindingTarget(
  assignment: Assignment<Extract<Subject, { type: 'binding' }>>,
): Target<CurrentBinding> {
  const { deps, subject, applied } = assignment;
  const desired = BINDING_RESULT.decode(assignment.desired, resultKey(subject));
  const api = deps.wds(subject.wds);
  const refs = {
    binding: controlRef('bindings', subject.name),
    policy: controlRef('bindingpolicies', subject.name),
  };
  const want = contentHash(stringifyJson(assignment.desired));
  const now = secondsText(deps.clock());
  const hashesOf = (current: JsonObject | undefined): OwnedHashes => ({
    want,
    observed: current !== undefined && desired !== null ? ownedHash(current) : ABSENT,
  });
  const setStatus = async (
    ref: ObjectRef,
    current: JsonObject,
    status: JsonObject,
  ): Promise<JsonObject> =>
    equalJson(member(current, 'status'), status)
      ? current
      : api.replaceStatus(ref, { resourceVersion: resourceVersionOf(current), status });
  const reportHeld = async (
    ref: ObjectRef,
    current: JsonObject | undefined,
    report: HeldReport,
  ): Promise<void> => {
    if (current !== undefined) await setStatus(ref, current, heldStatus(current, report));
  };
  const write = async (ref: ObjectRef, current: JsonObject | undefined): Promise<OwnedHashes> => {
    // Neither a Binding nor a BindingPolicy is known.
    if (current === undefined || desired === null) return hashesOf(current);
    const own = ref === refs.policy ? desired.policyErrors : [];
    const status = bindingStatus(current, { ...desired, errors: [...own, ...desired.errors] }, now);
    return hashesOf(await setStatus(ref, current, status));
  };
  return {
    async read() {
      const [binding, policy] = await Promise.all([api.get(refs.binding), api.get(refs.policy)]);
      return { binding, policy };
    },
    isLeft: ({ binding, policy }) =>
      [binding, policy].some((current) => current !== undefined && isReported(current)),
    async hold({ binding, policy }, head) {
      if (desired === null) return;
      const held = await noteHeld(deps.store, subjectPartition(subject), deps.clock());
      if (!isLongHeld(held, deps.clock())) return;
      const report = heldReport(head, held);
      await reportHeld(refs.binding, binding, report);
      await reportHeld(refs.policy, policy, report);
      if (!held.reported) await markHeldReported(deps.store, held);
    },
    isAsApplied: ({ binding, policy }) =>
      isAsApplied(applied.owned[OWN_OBJECT], hashesOf(binding)) &&
      isAsApplied(applied.owned[OWN_POLICY], hashesOf(policy)),
    async write({ binding, policy }) {
      return {
        owned: {
          [OWN_OBJECT]: await write(refs.binding, binding),
          [OWN_POLICY]: await write(refs.policy, policy),
        },
        errorBindings: [],
        reported: [],
      };
    },
  };
}
