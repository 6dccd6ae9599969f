import type { Item } from '#shared/ports/item-store.ts';
import { decodeText } from '#shared/state/body.ts';

interface Said {
  readonly changes: number;
  readonly atMs: number;
}

const ROW = /^W#.*\/([^/]+)$/;
const COUNT = /"collisionCount":(\d+)/;

/**
 * When the WDS shows each change. The WDS shows how many changes of a workload it contains. They count as contained in the order in
 * which their rows were stored. A row that replaces several unsent changes contains all of them.
 */
export class ShownChanges {
  readonly #said = new Map<string, Said[]>();
  readonly #stored = new Map<string, number[]>();
  readonly #shown = new Map<string, number>();
  /** Milliseconds from a change to the WDS, since the last reset. */
  latencies: number[] = [];
  /** Changes that the WDS does not show yet. */
  open = 0;

  /** A row has changed so often now. */
  said(wec: string, workload: string, said: Said): void {
    const key = `${workload} ${wec}`;
    const before = this.#said.get(key);
    if (before === undefined) this.#said.set(key, [said]);
    else before.push(said);
    this.open += 1;
  }

  /** An item was stored. */
  put({ pk, sk, body }: Item): void {
    if (body === undefined || !sk.startsWith('R#')) return;
    const [, workload = ''] = ROW.exec(pk) ?? [];
    const key = `${workload} ${sk.slice(sk.indexOf('#', 2) + 1)}`;
    const said = this.#said.get(key);
    if (said === undefined) return;
    const [, count = '0'] = COUNT.exec(decodeText(body)) ?? [];
    const later = said.findIndex(({ changes }) => changes > Number(count));
    const contained = said.splice(0, later < 0 ? said.length : later);
    if (said.length === 0) this.#said.delete(key);
    const stored = this.#stored.get(workload) ?? [];
    stored.push(...contained.map(({ atMs }) => atMs));
    this.#stored.set(workload, stored);
  }

  /** The WDS shows so many changes of a workload. */
  shown(workload: string, changes: number, nowMs: number): void {
    const stored = this.#stored.get(workload) ?? [];
    let next = this.#shown.get(workload) ?? 0;
    for (; next < Math.min(changes, stored.length); next += 1) {
      this.latencies.push(nowMs - (stored[next] ?? nowMs));
      this.open -= 1;
    }
    this.#shown.set(workload, next);
  }
}
