import { contentHash } from '#shared/content-hash.ts';
import { equalJson, isObject, type JsonObject, member, stringifyJson } from '#shared/core/json.ts';
import { controlRef } from '#shared/core/kubestellar.ts';
import { resourceVersionOf } from '#shared/core/metadata.ts';
import type { Subject } from '#shared/core/subject.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { ABSENT, OWN_OBJECT, ownedHash } from '#shared/state/owned-hashes.ts';
import type { Assignment, Target } from './target.ts';
import { isAsApplied } from './write-context.ts';

/** Writes the status of a StatusCollector: the validated generation, and the errors of its spec. */
export function collectorTarget(
  assignment: Assignment<Extract<Subject, { type: 'collector' }>>,
): Target<JsonObject | undefined> {
  const { deps, subject, desired, applied } = assignment;
  const api = deps.wds(subject.wds);
  const ref: ObjectRef = controlRef('statuscollectors', subject.name);
  const setStatus = async (current: JsonObject): Promise<JsonObject> => {
    const { errors, ...rest } = isObject(desired) ? desired : {};
    const status = equalJson(errors, []) ? rest : { ...rest, errors: errors ?? [] };
    if (equalJson(member(current, 'status'), status)) return current;
    return api.replaceStatus(ref, { resourceVersion: resourceVersionOf(current), status });
  };
  const want = contentHash(stringifyJson(desired));
  const isWanted = (current: JsonObject | undefined): current is JsonObject =>
    current !== undefined && isObject(desired);
  return {
    read: () => api.get(ref),
    isAsApplied: (current) =>
      isAsApplied(applied.owned[OWN_OBJECT], {
        want,
        observed: isWanted(current) ? ownedHash(current) : ABSENT,
      }),
    async write(current) {
      const hash = isWanted(current) ? ownedHash(await setStatus(current)) : ABSENT;
      return {
        owned: { [OWN_OBJECT]: { want, observed: hash } },
        errorBindings: [],
        reported: [],
      };
    },
  };
}
