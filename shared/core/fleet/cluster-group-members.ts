import { type LabelSelector, parseLabelSelector } from '#shared/core/binding/label-selector.ts';
import type { Labels } from '#shared/core/binding/labels.ts';
import { boundedErrors } from '#shared/core/error-list.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { metadataText } from '#shared/core/metadata.ts';

/** Which Clusters a ClusterGroup has. */
export interface GroupSelector {
  /** What is wrong with the selector: field, fault, remedy. With an error, the group has no Clusters. */
  readonly errors: readonly string[];
  matches(cluster: { readonly namespace: string; readonly labels: Labels }): boolean;
}

const PATH = 'spec.selector';

function selectNothing(errors: readonly string[]): GroupSelector {
  return { errors: boundedErrors(errors), matches: () => false };
}

function selectIn(namespace: string, selector: LabelSelector): GroupSelector {
  return {
    errors: [],
    matches: (cluster) => cluster.namespace === namespace && selector.matches(cluster.labels),
  };
}

function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/**
 * Reads which Clusters a ClusterGroup has: those of its namespace whose labels match `spec.selector`. Without a selector
 * it has none, with the empty selector all (Fleet, `ClusterGroupSpec.selector`). A Cluster that is being deleted stays a
 * member, as in Fleet.
 *
 * @param group a ClusterGroup; wrong types are told in `errors`, nothing is thrown
 */
export function groupSelector(group: JsonObject): GroupSelector {
  const written = at(group, 'spec', 'selector');
  if (isAbsent(written)) return selectNothing([]);
  const reading = parseLabelSelector(written, PATH);
  return reading.ok
    ? selectIn(metadataText(group, 'namespace'), reading.selector)
    : selectNothing(reading.errors);
}
