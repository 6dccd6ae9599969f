import { setTimeout as sleep } from 'node:timers/promises';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { ResourceApi, WatchEvent } from '#shared/ports/kubernetes-api.ts';
import { quantile } from '#test/bench/figure.ts';
import { counterIn } from '#test/bench/recorded-deployment.ts';
import { DEPLOYMENTS, indexOf } from './objects.ts';

/** Between a failure and the next attempt. */
const PAUSE_MS = 100;

/** From a status change in a WEC's API server until the WDS's says it. */
export class Latency {
  readonly #pending = new Map<number, { readonly counter: number; readonly at: number }[]>();
  readonly #milliseconds: number[] = [];

  /** A WEC reports a status with this counter, the highest so far, of a workload object. */
  changed(index: number, counter: number): void {
    const changes = this.#pending.get(index) ?? [];
    changes.push({ counter, at: performance.now() });
    this.#pending.set(index, changes);
  }

  /** Something else has happened to the object: what it has reported so far may never be shown. */
  forget(index: number): void {
    this.#pending.delete(index);
  }

  /** The WDS shows a status with this counter. */
  shown(index: number, counter: number): void {
    const changes = this.#pending.get(index);
    if (changes === undefined) return;
    const now = performance.now();
    for (let first = changes[0]; first && first.counter <= counter; first = changes[0]) {
      changes.shift();
      this.#milliseconds.push(now - first.at);
    }
    if (changes.length === 0) this.#pending.delete(index);
  }

  /** Milliseconds that a share (0 to 1) of the changes took at most; NaN where there were none. */
  quantile(share: number): number {
    return quantile(this.#milliseconds, share);
  }

  /** Takes what the WDS's API server shows, until the signal aborts; lists anew after each failure, and never throws. */
  async follow(api: ResourceApi, signal: AbortSignal): Promise<void> {
    while (!signal.aborted)
      try {
        await this.#listAndWatch(api, signal);
      } catch {
        await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
      }
  }

  /** Ends when the signal aborts; throws as soon as a list or a watch fails. */
  async #listAndWatch(api: ResourceApi, signal: AbortSignal): Promise<void> {
    const list = await api.list(DEPLOYMENTS, {}, signal);
    for (const object of list.items) this.#see(object);
    let { resourceVersion } = list;
    const onEvent = (event: WatchEvent): void => {
      resourceVersion = event.resourceVersion;
      if (event.type !== 'BOOKMARK') this.#see(event.object);
    };
    while (!signal.aborted) await api.watch(DEPLOYMENTS, { resourceVersion, onEvent }, signal);
  }

  #see(object: JsonObject): void {
    const name = String(at(object, 'metadata', 'name'));
    const counter = counterIn(object);
    if (counter !== undefined) this.shown(indexOf(name), counter);
  }
}
