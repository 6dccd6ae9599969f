import { type LabelSelector, parseLabelSelector } from '#shared/core/binding/label-selector.ts';
import { boundedErrors } from '#shared/core/error-list.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { Labels } from '#shared/core/labels.ts';
import { metadataText } from '#shared/core/metadata.ts';

/** Selects the Clusters of a ClusterGroup. */
export interface GroupSelector {
  /** The errors of the selector: field, fault, remedy. If there is one, the group has no Clusters. */
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
 * Reads which Clusters a ClusterGroup has: the Clusters of its namespace whose labels match `spec.selector`. Without a
 * selector, it has none. With the empty selector, it has all (Fleet, `ClusterGroupSpec.selector`). A Cluster that is being
 * deleted stays a member, as in Fleet.
 *
 * @param group a ClusterGroup; a field of the wrong type adds to `errors`, and nothing is thrown
 */
export function groupSelector(group: JsonObject): GroupSelector {
  const written = at(group, 'spec', 'selector');
  if (isAbsent(written)) return selectNothing([]);
  const reading = parseLabelSelector(written, PATH);
  return reading.ok
    ? selectIn(metadataText(group, 'namespace'), reading.selector)
    : selectNothing(reading.errors);
}
