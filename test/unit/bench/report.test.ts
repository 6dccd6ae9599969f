import { describe, expect, it } from 'vitest';
import type { DeployedFunction } from '#test/bench/cost/deployment.ts';
import { Meter, USAGES, type Usage } from '#test/bench/cost/meter.ts';
import {
  heartbeatText,
  idleText,
  outcomeText,
  perMillion,
  readText,
  variantsText,
} from '#test/bench/cost/report.ts';
import type { Outcome } from '#test/bench/cost/scenarios.ts';

/** Of what is dear less was used, so that nothing hides behind it. */
const COUNTED: Partial<Record<Usage, number>> = { 'Lambda GB-s': 10_000, 'CloudWatch log GB': 1 };

/** An outcome in which everything that AWS counts cost some tenths of a USD. */
function outcome(changes: number): Outcome {
  const meter = new Meter();
  for (const usage of USAGES) meter.add(usage, 'something', COUNTED[usage] ?? 1_000_000);
  return { bill: meter.bill(), changes, seconds: 12, metrics: 2, storedBytes: 1024 ** 3 };
}

function line(text: string, start: string): readonly string[] {
  const found = text.split('\n').find((one) => one.trim().startsWith(start)) ?? '';
  return found
    .trim()
    .slice(start.length)
    .trim()
    .split(/\s{2,}/);
}

function numbers(cells: readonly string[]): readonly number[] {
  return cells.map((cell) => Number.parseFloat(cell));
}

describe('the price of a million changes', () => {
  it('is what one change costs, a million times', () => {
    const { bill } = outcome(500);
    expect(perMillion(outcome(500))).toBeCloseTo((bill.usd() / 500) * 1_000_000, 5);
  });

  it('is the sum of what its services cost', () => {
    const text = outcomeText('a rollout', outcome(1_000_000));
    const perService = USAGES.map((usage) => numbers(line(text, usage)).at(-1) ?? Number.NaN);
    const total = numbers(line(text, 'total')).at(-1) ?? Number.NaN;
    expect(total).toBeGreaterThan(0);
    expect(perService.reduce((sum, one) => sum + one, 0)).toBeCloseTo(total, 2);
  });
});

describe('the price of an answer of the API', () => {
  it('is that of all that it uses, a million times, and shows nothing that it does not use', () => {
    const meter = new Meter();
    meter.add('HTTP API requests', 'requests', 2);
    meter.add('Data out GB', 'answers', 0.001);
    const text = readText('a page', { ...outcome(1), bill: meter.bill() });
    expect(numbers(line(text, 'HTTP API requests')).at(-1)).toBe(2);
    expect(numbers(line(text, 'total')).at(-1)).toBe(92);
    expect(text).not.toContain('SQS');
  });
});

describe('what costs most', () => {
  it('comes first', () => {
    const meter = new Meter();
    meter.add('DynamoDB read units', 'cheap', 10);
    meter.add('DynamoDB write units', 'dear', 10);
    const text = outcomeText('a rollout', { ...outcome(1), bill: meter.bill() });
    expect(text.indexOf('dear')).toBeLessThan(text.indexOf('cheap'));
    expect(line(text, 'DynamoDB write units: dear').at(-1)).toBe('83.3 %');
  });
});

describe('an idle month', () => {
  const text = idleText('idle', outcome(0));

  it('is what is used and what is there', () => {
    const [standing = Number.NaN] = numbers(line(text, 'what stands there:'));
    const [month = Number.NaN] = numbers(line(text, 'a month:'));
    expect(standing).toBeGreaterThan(0);
    expect(month).toBeCloseTo(outcome(0).bill.usd() + standing, 1);
  });

  it('adds up what is there, and not the polling that the bill has already', () => {
    const [standing = Number.NaN] = numbers(line(text, 'what stands there:'));
    const after = text.slice(text.indexOf('what stands there:')).split('\n').slice(1);
    const prices = after
      .filter((one) => one.endsWith(' USD') && !/counted above|a month/.test(one))
      .map((one) => Number.parseFloat(/([\d.]+) USD$/.exec(one)?.[1] ?? ''));
    expect(prices).toHaveLength(7);
    expect(prices.reduce((sum, one) => sum + one, 0)).toBeCloseTo(standing, 2);
  });

  it('charges each metric and each GiB of the table', () => {
    expect(numbers(line(text, 'custom metrics in this scenario: 2'))).toEqual([0.6]);
    expect(numbers(line(text, 'table of 1,048,576 KiB, with recovery'))).toEqual([0.45]);
  });

  it('leaves nothing out of the columns by service', () => {
    const lines = [{ title: 'a hundred WECs', outcome: outcome(0) }];
    const cells = numbers(line(heartbeatText(lines), 'a hundred WECs'));
    const total = cells.at(-1) ?? Number.NaN;
    expect(total).toBeGreaterThan(0);
    expect(cells.slice(0, -1).reduce((sum, one) => sum + one, 0)).toBeCloseTo(total, 1);
  });
});

describe('variants', () => {
  const delivered: DeployedFunction = {
    memoryMb: 512,
    batchSize: 1_000,
    windowMs: 2_000,
    concurrency: 3,
  };

  it('say which of them is delivered', () => {
    const other = { ...delivered, windowMs: 1_000, concurrency: 20 };
    const text = variantsText(
      [delivered, other].map((deployed) => ({ deployed, outcome: outcome(1_000_000) })),
      { ...delivered },
      'all of it',
    );
    const rows = text.split('\n').filter((row) => row.trim().startsWith('1,000'));
    expect(rows.map((row) => row.includes('as delivered'))).toEqual([true, false]);
  });
});
