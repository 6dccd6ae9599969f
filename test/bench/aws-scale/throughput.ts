import { createHash } from 'node:crypto';
import { AWS } from './assumptions.ts';

/** Capacity of so many units a second, of which at most one second is saved up. A request may exceed what is left. */
export class UnitBucket {
  #perSecond: number;
  #left: number;
  #at: number;

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#at = nowMs;
  }

  /** Whether there is capacity left. If so, the units are taken, perhaps more than there were. */
  take(units: number, nowMs: number): boolean {
    const refill = ((nowMs - this.#at) / 1_000) * this.#perSecond;
    this.#left = Math.min(this.#perSecond, this.#left + refill);
    this.#at = nowMs;
    if (this.#left <= 0) return false;
    this.#left -= units;
    return true;
  }

  /** What a split does for the items of a partition together. */
  double(): void {
    this.#perSecond *= 2;
  }
}

interface Partition {
  readonly reads: UnitBucket;
  readonly writes: UnitBucket;
  /** When the throttling began that has lasted until now, and the last throttled request. */
  hotSince: number;
  throttledAt: number;
}

/** The units that a request takes, and of which kind. */
export interface UnitUse {
  readonly type: 'read' | 'write';
  readonly units: number;
}

/** Throttling that pauses for longer has ended. */
const HEAT_PAUSE_MS = 10_000;

/** What a table can serve at once, units a second. */
export interface WarmThroughput {
  readonly reads: number;
  readonly writes: number;
}

function partitionsFor({ reads, writes }: WarmThroughput): number {
  return Math.ceil(Math.max(reads / AWS.partitionReadUnits, writes / AWS.partitionWriteUnits));
}

/** The partitions of an on-demand table. Each has its own capacity, and is split if it stays hot. */
export class Partitions {
  readonly #partitions: readonly Partition[];
  readonly #places = new Map<string, number>();
  /** Throttled requests by the kind of units and the prefix of their partition key. */
  readonly throttled = new Map<string, number>();
  splits = 0;

  constructor(nowMs: number, warm: WarmThroughput = AWS.newTable) {
    this.#partitions = Array.from({ length: partitionsFor(warm) }, () => ({
      reads: new UnitBucket(AWS.partitionReadUnits, nowMs),
      writes: new UnitBucket(AWS.partitionWriteUnits, nowMs),
      hotSince: Number.NaN,
      throttledAt: Number.NEGATIVE_INFINITY,
    }));
  }

  /** Takes units of the partition of a key. Returns whether it had any left; otherwise the request is throttled. */
  take(pk: string, { type, units }: UnitUse, nowMs: number): boolean {
    const partition = this.#partitionOf(pk);
    const bucket = type === 'read' ? partition.reads : partition.writes;
    if (bucket.take(units, nowMs)) return true;
    const kind = `${type} ${/^[A-Z]+/.exec(pk)?.[0] ?? ''}`;
    this.throttled.set(kind, (this.throttled.get(kind) ?? 0) + 1);
    this.#heat(partition, nowMs);
    return false;
  }

  #heat(partition: Partition, nowMs: number): void {
    if (!(nowMs - partition.throttledAt <= HEAT_PAUSE_MS)) partition.hotSince = nowMs;
    partition.throttledAt = nowMs;
    if (nowMs - partition.hotSince < AWS.splitAfterMs) return;
    partition.reads.double();
    partition.writes.double();
    partition.hotSince = nowMs;
    this.splits += 1;
  }

  #partitionOf(pk: string): Partition {
    let place = this.#places.get(pk);
    if (place === undefined) {
      place = createHash('sha256').update(pk).digest().readUInt32BE() % this.#partitions.length;
      this.#places.set(pk, place);
    }
    const partition = this.#partitions[place];
    if (partition === undefined) throw new RangeError('a table has at least one partition');
    return partition;
  }
}
