import { at, isArray } from '#shared/core/json.ts';
import { NO_ERRORS, severalErrors } from './messages.ts';
import { type ClusterObjects, CONTROL, type ObservedChange } from './observation.ts';
import type { ClusterProblem } from './view.ts';

/** The kinds whose objects a user writes, by resource. The writer function puts the errors of an object into its status. */
const KINDS: ReadonlyMap<string, string> = new Map([
  [CONTROL.bindings.resource, 'Binding'],
  [CONTROL.collectors.resource, 'StatusCollector'],
]);

/** The first error of an object in one line, and where the others are. `object` is as kubectl is given it: resource, group and name. */
function errorsText(errors: readonly string[], object: string): string {
  const [first = '', ...others] = errors;
  return others.length === 0 ? first : severalErrors(first, errors.length, object);
}

/** What the Bindings and StatusCollectors of a WDS have in `status.errors`, as a user is told. */
export class ObjectErrors {
  readonly #texts = new Map<string, string>();

  /** Processes a change in a cluster. Returns what is new about the errors of its object, or `undefined` if nothing is. */
  changed(
    clusters: ClusterObjects,
    { cluster, resource, key }: ObservedChange,
  ): ClusterProblem | undefined {
    const kind = cluster === clusters.wds ? KINDS.get(resource.resource) : undefined;
    if (kind === undefined || resource.group !== CONTROL.bindings.group) return undefined;
    const name = key.slice(key.indexOf('/') + 1);
    const found = at(clusters.objects(cluster, resource).get(key), 'status', 'errors');
    const errors = isArray(found) ? found.map(String) : [];
    const text = errorsText(errors, `${resource.resource}.${resource.group} ${name}`);
    const thing = `${cluster} ${kind} ${name}`;
    if (text === (this.#texts.get(thing) ?? '')) return undefined;
    if (text === '') this.#texts.delete(thing);
    else this.#texts.set(thing, text);
    return { cluster: thing, problem: text === '' ? NO_ERRORS : text };
  }

  /** The objects with errors. */
  problems(): readonly ClusterProblem[] {
    return [...this.#texts].map(([cluster, problem]) => ({ cluster, problem }));
  }
}
