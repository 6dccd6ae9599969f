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

  /** Whether there is capacity left. */
  hasLeft(nowMs: number): boolean {
    const refill = ((nowMs - this.#at) / 1_000) * this.#perSecond;
    this.#left = Math.min(this.#perSecond, this.#left + refill);
    this.#at = nowMs;
    return this.#left > 0;
  }

  /** Takes units, perhaps more than there are. */
  take(units: number): void {
    this.#left -= units;
  }

  /** What a split does for the items of a partition together. */
  double(): void {
    this.#perSecond *= 2;
  }
}

interface Capacity {
  readonly reads: UnitBucket;
  readonly writes: UnitBucket;
}

interface Partition extends Capacity {
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
  /** Of all of them together. */
  readonly #table: Capacity;
  readonly #places = new Map<string, number>();
  /** Throttled requests by the kind of units and the prefix of their partition key. */
  readonly throttled = new Map<string, number>();
  splits = 0;

  constructor(nowMs: number, warm: WarmThroughput = AWS.newTable) {
    this.#table = {
      reads: new UnitBucket(AWS.tableUnits, nowMs),
      writes: new UnitBucket(AWS.tableUnits, nowMs),
    };
    this.#partitions = Array.from({ length: partitionsFor(warm) }, () => ({
      reads: new UnitBucket(AWS.partitionReadUnits, nowMs),
      writes: new UnitBucket(AWS.partitionWriteUnits, nowMs),
      hotSince: Number.NaN,
      throttledAt: Number.NEGATIVE_INFINITY,
    }));
  }

  /** Takes units of the table and of the partition of a key. Returns whether both had any left; otherwise the request is throttled. */
  take(pk: string, { type, units }: UnitUse, nowMs: number): boolean {
    const partition = this.#partitionOf(pk);
    const kindOf = ({ reads, writes }: Capacity): UnitBucket => (type === 'read' ? reads : writes);
    const [own, all] = [kindOf(partition), kindOf(this.#table)];
    const isHot = !own.hasLeft(nowMs);
    if (!isHot && all.hasLeft(nowMs)) {
      own.take(units);
      all.take(units);
      return true;
    }
    const kind = `${type} ${/^[A-Z]+/.exec(pk)?.[0] ?? ''}`;
    this.throttled.set(kind, (this.throttled.get(kind) ?? 0) + 1);
    // The quota of the table splits no partition.
    if (isHot) this.#heat(partition, nowMs);
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
