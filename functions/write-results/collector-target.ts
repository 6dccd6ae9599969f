import { contentHash } from '#shared/content-hash.ts';
import { equalJson, isObject, type JsonObject, member, stringifyJson } from '#shared/core/json.ts';
import { controlRef } from '#shared/core/kubestellar.ts';
import { resourceVersionOf } from '#shared/core/metadata.ts';
import type { Subject } from '#shared/core/subject.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { ABSENT, facetOf, OWN_FACET } from '#shared/state/facets.ts';
import type { Assignment, Target } from './target.ts';
import { isAsApplied } from './write-context.ts';

/**
 * The status of a StatusCollector: the generation that was validated, and what is wrong with its spec.
 */
export function collectorTarget(
  assignment: Assignment<Extract<Subject, { type: 'collector' }>>,
): Target<JsonObject | undefined> {
  const { deps, subject, desired, applied } = assignment;
  const api = deps.wds(subject.wds);
  const ref: ObjectRef = controlRef('statuscollectors', subject.name);
  const setStatus = async (seen: JsonObject): Promise<JsonObject> => {
    const { errors, ...rest } = isObject(desired) ? desired : {};
    const status = equalJson(errors, []) ? rest : { ...rest, errors: errors ?? [] };
    if (equalJson(member(seen, 'status'), status)) return seen;
    return api.replaceStatus(ref, { resourceVersion: resourceVersionOf(seen), status });
  };
  const want = contentHash(stringifyJson(desired));
  const isWanted = (seen: JsonObject | undefined): seen is JsonObject =>
    seen !== undefined && isObject(desired);
  return {
    read: () => api.get(ref),
    isAsApplied: (seen) =>
      isAsApplied(applied.facets[OWN_FACET], {
        want,
        seen: isWanted(seen) ? facetOf(seen) : ABSENT,
      }),
    async write(seen) {
      const facet = isWanted(seen) ? facetOf(await setStatus(seen)) : ABSENT;
      return {
        facets: { [OWN_FACET]: { want, seen: facet } },
        errorBindings: [],
        reported: [],
      };
    },
  };
}
