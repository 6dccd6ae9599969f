import { expect, it } from 'vitest';
import { Meter } from '#test/bench/cost/meter.ts';

it('prices what is counted by list price', () => {
  const meter = new Meter();
  meter.add('DynamoDB write units', 'record-events put R', 600_000);
  meter.add('DynamoDB write units', 'record-events put R', 400_000);
  meter.add('SQS FIFO requests', 'dirty send', 2_000_000);
  meter.add('Lambda GB-s', 'aggregate-workload waiting', 400_000);
  const bill = meter.bill();
  expect(bill.usd('DynamoDB write units')).toBeCloseTo(0.625, 10);
  expect(bill.usd('SQS FIFO requests')).toBeCloseTo(1, 10);
  expect(bill.usd('Lambda GB-s')).toBeCloseTo(5.33336, 5);
  expect(bill.usd()).toBeCloseTo(6.95836, 5);
});

it('reports what something was used for', () => {
  const meter = new Meter();
  meter.add('DynamoDB read units', 'aggregate-workload query R', 22);
  meter.add('DynamoDB read units', 'write-results get HEAD', 3);
  const bill = meter.bill();
  expect(bill.amount('DynamoDB read units')).toBe(25);
  expect(bill.amount('DynamoDB read units', 'aggregate-workload')).toBe(22);
  expect(bill.times(10).amount('DynamoDB read units', 'HEAD')).toBe(30);
});

it('keeps a bill as it was when more is used later', () => {
  const meter = new Meter();
  meter.add('Lambda invocations', 'record-events', 1);
  const bill = meter.bill();
  meter.add('Lambda invocations', 'record-events', 1);
  expect(bill.amount('Lambda invocations')).toBe(1);
  meter.reset();
  expect(meter.bill().lines).toEqual([]);
});
