import { equalJson, isObject, type JsonObject, member, stringifyJson } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { ABSENT, facetOf, OWN_FACET } from '#shared/state/facets.ts';
import { contentHash, type Subject } from '#shared/state/keys.ts';
import { controlRef, resourceVersionOf } from './object-fields.ts';
import type { Assignment, Target } from './use-case.ts';

/**
 * The status of a StatusCollector: the generation that was validated, and what is wrong with its spec.
 */
export function collectorTarget(
  assignment: Assignment<Extract<Subject, { type: 'collector' }>>,
): Target<JsonObject | undefined> {
  const { deps, subject, desired } = assignment;
  const api = deps.wds(subject.wds);
  const ref: ObjectRef = controlRef('statuscollectors', subject.name);
  return {
    read: () => api.get(ref),
    async write(seen) {
      const want = contentHash(stringifyJson(desired));
      if (seen === undefined || !isObject(desired))
        return { facets: { [OWN_FACET]: { want, seen: ABSENT } }, errorBindings: [], reported: [] };
      const { errors, ...rest } = desired;
      const status = equalJson(errors, []) ? rest : desired;
      const written = equalJson(member(seen, 'status'), status)
        ? seen
        : await api.replaceStatus(ref, { resourceVersion: resourceVersionOf(seen), status });
      return {
        facets: { [OWN_FACET]: { want, seen: facetOf(written) } },
        errorBindings: [],
        reported: [],
      };
    },
  };
}
