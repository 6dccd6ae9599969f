import { parseBinding } from '#shared/core/binding/binding.ts';
import type { BindingResolver } from '#shared/core/binding/binding-resolver.ts';
import { MANAGED_CLUSTERS } from '#shared/core/binding/managed-cluster.ts';
import { groupResource } from '#shared/core/resource-name.ts';
import { objectKey } from '#shared/core/workload.ts';
import { ApiConflictError, ApiNotFoundError, messageOf } from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { backoffMs, type Waiting } from '#shared/watch/backoff.ts';
import { type BindingState, isOfPolicy, writeBinding } from './binding-write.ts';
import { CANNOT_WRITE, LEFT, notChangedYet } from './messages.ts';
import type { WdsView } from './wds-view.ts';

/** Structured log, in the form of Powertools' logger. */
export interface ResolverLogger {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

interface WriterDeps extends Waiting {
  readonly api: ObjectApi;
  readonly resolver: BindingResolver;
  readonly wds: WdsView;
  readonly logger: ResolverLogger;
  /** Called when there is something to write. */
  readonly onPending: () => void;
}

/** The resources of what a Binding would lose, as `<group>/<resource>`. WECs count as ManagedClusters. */
function lossesOf({ wanted, current }: BindingState): readonly string[] {
  if (wanted === undefined || current === undefined) return [];
  const objects = new Set(wanted.resolved.objects.map(objectKey));
  const wecs = new Set(wanted.resolved.destinations);
  const before = parseBinding(current);
  return [
    ...before.destinations
      .filter((wec) => !wecs.has(wec))
      .map(() => groupResource(MANAGED_CLUSTERS)),
    ...before.objects.filter((object) => !objects.has(objectKey(object))).map(groupResource),
  ];
}

/** Why a Binding is not written, as far as this depends on its policy. */
function reasonToLeave(
  { name, wanted, current }: BindingState,
  kubeStellars: ReadonlySet<string>,
): string | undefined {
  if (kubeStellars.has(name)) return LEFT.toKubeStellar;
  if (wanted === undefined) return undefined;
  if (current !== undefined && !isOfPolicy(current)) return LEFT.toItsCreator;
  return undefined;
}

/**
 * Writes the Bindings that need a check, one after the other. If a Binding cannot be written, it is retried separately,
 * with growing delays. It does not delay the others.
 */
export class BindingWriter {
  readonly #deps: WriterDeps;
  readonly #pending = new Set<string>();
  /** How many times in a row a Binding could not be written. */
  readonly #failures = new Map<string, number>();
  /** Why a Binding is not changed, if this has been logged. */
  readonly #reported = new Map<string, string>();

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  /** Marks the Binding of this name as needing a check. */
  look(name: string): void {
    this.#pending.add(name);
    this.#deps.onPending();
  }

  /** The sorted names of the Bindings that need a check. */
  pending(): readonly string[] {
    for (const name of this.#deps.resolver.takeChanged()) this.#pending.add(name);
    return [...this.#pending].sort();
  }

  /**
   * Writes the currently desired Binding, which must be known. Never throws.
   *
   * @param doubtful resources that are not served, but may be soon, as `<group>/<resource>`: nothing of these is
   *   removed from a Binding yet
   */
  async write(name: string, doubtful: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    // If a change arrives during the write, the Binding is checked again.
    this.#pending.delete(name);
    const state = this.#state(name);
    const reason = reasonToLeave(state, this.#deps.wds.kubeStellars);
    if (reason !== undefined) {
      this.#report(name, reason);
      return;
    }
    const doubt =
      doubtful.size > 0 ? lossesOf(state).find((lost) => doubtful.has(lost)) : undefined;
    this.#report(name, doubt && notChangedYet(doubt));
    if (doubt === undefined) await this.#writeOne(state, signal);
    else this.#lookLater(name, signal);
  }

  async #writeOne(state: BindingState, signal: AbortSignal): Promise<void> {
    const { api, logger } = this.#deps;
    const { name } = state;
    try {
      await writeBinding(api, state, signal);
      this.#failures.delete(name);
    } catch (error) {
      if (signal.aborted) return;
      // Newer content is already known, or will be soon.
      const isOutdated = error instanceof ApiConflictError || error instanceof ApiNotFoundError;
      const log = isOutdated ? logger.info.bind(logger) : logger.warn.bind(logger);
      log(CANNOT_WRITE, { name, reason: messageOf(error) });
      this.#lookLater(name, signal);
    }
  }

  #lookLater(name: string, signal: AbortSignal): void {
    const { sleep, random } = this.#deps;
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    void sleep(backoffMs(failures, random), signal).then(() => this.look(name));
  }

  #report(name: string, reason: string | undefined): void {
    if (this.#reported.get(name) === reason) return;
    if (reason === undefined) this.#reported.delete(name);
    else {
      this.#reported.set(name, reason);
      this.#deps.logger.warn(reason, { name });
    }
  }

  #state(name: string): BindingState {
    const { resolver, wds } = this.#deps;
    const [policy, resolved] = [resolver.policy(name), resolver.resolved(name)];
    const current = wds.bindings.get(name);
    const wanted =
      policy !== undefined && resolved !== undefined
        ? { policy, resolved, content: wds.contentOf(resolved.objects) }
        : undefined;
    return {
      name,
      ...(wanted === undefined ? {} : { wanted }),
      ...(current === undefined ? {} : { current }),
    };
  }
}
