import { PRICES } from './prices.ts';

const MILLION = 1_000_000;

/** What one unit of each thing that AWS counts costs, in USD. `calls` are counted and not charged. */
const UNIT_PRICES = {
  'SQS standard requests': PRICES.sqsStandardPerMillion / MILLION,
  'SQS FIFO requests': PRICES.sqsFifoPerMillion / MILLION,
  'DynamoDB read units': PRICES.readUnitsPerMillion / MILLION,
  'DynamoDB write units': PRICES.writeUnitsPerMillion / MILLION,
  'DynamoDB calls': 0,
  'Lambda invocations': PRICES.lambdaRequestsPerMillion / MILLION,
  'Lambda GB-s': PRICES.lambdaGbSecond,
  'HTTP API requests': PRICES.httpRequestsPerMillion / MILLION,
  'Data out GB': PRICES.dataOutGb,
  'CloudWatch log GB': PRICES.logGb,
} as const;

/** Something that AWS counts. */
export type Usage = keyof typeof UNIT_PRICES;

/** All of them, in the order in which a table shows them. */
export const ALL_USAGES = Object.keys(UNIT_PRICES) as readonly Usage[];

/** What only the HTTP API uses. */
const OF_HTTP_API: ReadonlySet<Usage> = new Set(['HTTP API requests', 'Data out GB']);

/** Those of a deployment without an HTTP API. */
export const USAGES = ALL_USAGES.filter((usage) => !OF_HTTP_API.has(usage));

/** One line of a bill: what was used for what, how much of it, and its price in USD. */
export interface BillLine {
  readonly usage: Usage;
  readonly detail: string;
  readonly amount: number;
  readonly usd: number;
}

/** What was used in a while: an immutable copy of a meter. */
export class Bill {
  readonly lines: readonly BillLine[];

  constructor(lines: readonly BillLine[]) {
    this.lines = lines;
  }

  amount(usage: Usage, detail = ''): number {
    return this.#sum((line) => line.usage === usage && line.detail.includes(detail), 'amount');
  }

  usd(usage?: Usage): number {
    return this.#sum((line) => usage === undefined || line.usage === usage, 'usd');
  }

  /** The same use so many times. */
  times(factor: number): Bill {
    return new Bill(
      this.lines.map((line) => ({ ...line, amount: line.amount * factor, usd: line.usd * factor })),
    );
  }

  #sum(isMeant: (line: BillLine) => boolean, key: 'amount' | 'usd'): number {
    return this.lines.filter(isMeant).reduce((sum, line) => sum + line[key], 0);
  }
}

/** Adds up what is used, by what it is used for. */
export class Meter {
  readonly #amounts = new Map<string, { usage: Usage; detail: string; amount: number }>();

  /** @param detail which function or queue, and for what */
  add(usage: Usage, detail: string, amount: number): void {
    const key = `${usage} ${detail}`;
    const entry = this.#amounts.get(key);
    if (entry === undefined) this.#amounts.set(key, { usage, detail, amount });
    else entry.amount += amount;
  }

  reset(): void {
    this.#amounts.clear();
  }

  bill(): Bill {
    return new Bill(
      [...this.#amounts.values()].map((entry) => ({
        ...entry,
        usd: entry.amount * UNIT_PRICES[entry.usage],
      })),
    );
  }
}
