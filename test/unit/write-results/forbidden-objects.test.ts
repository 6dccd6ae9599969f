import { beforeEach, describe, expect, it } from 'vitest';
import { noFleet } from '#functions/write-results/deps.ts';
import { writeResults } from '#functions/write-results/use-case.ts';
import type { EventContent } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { ApiForbiddenError } from '#shared/errors.ts';
import type { HintMessage } from '#shared/messages/dirty.ts';
import { readHeadAndApplied } from '#shared/state/head.ts';
import { Pipeline, WDS, WEB_SUBJECT } from '#test/unit/protocol/pipeline.ts';

const HINT: HintMessage = { subject: WEB_SUBJECT, objects: [] };
const WANTED: JsonObject = { wantMultiWECReportedState: true };

let pipeline: Pipeline;

beforeEach(async () => {
  pipeline = new Pipeline();
  await pipeline.begin(['wec1']);
  // All has been told: what stands is left only because it may not be read.
  const listed: EventContent = { type: 'snapshot', since: { epoch: 1, sequence: 0 } };
  await pipeline.record(
    pipeline.event({ type: 'wds', name: WDS }, listed),
    pipeline.event({ type: 'wec', name: 'wec1' }, listed),
  );
  await pipeline.settle();
});

/** Writes with an API server that lets nobody read workload objects. */
async function write(unauthenticated = false): Promise<void> {
  const { api } = pipeline.wds;
  const { store, telemetry } = pipeline;
  const { dirty } = pipeline.aggregateDeps();
  const wds = () => ({
    ...api,
    get: () => Promise.reject(new ApiForbiddenError('get', 'not allowed', { unauthenticated })),
  });
  await writeResults({ store, telemetry, dirty, wds, fleet: noFleet, clock: () => 0 }, [HINT]);
}

async function bindAndAggregate(modulation: JsonObject): Promise<void> {
  await pipeline.bind(['wec1'], modulation);
  await pipeline.record(pipeline.said('wec1', 3));
  for (let dirty = pipeline.takeDirty(); dirty.length > 0; dirty = pipeline.takeDirty())
    for (const message of dirty) await pipeline.aggregate(message);
  for (const hint of pipeline.takeHints())
    if (hint.subject.type !== 'workload') await pipeline.write(hint);
}

describe('a workload object that the writer may not read', () => {
  it('is not changed while nothing is desired of it', async () => {
    await bindAndAggregate({});
    await write();
    const { head, applied } = await readHeadAndApplied(
      pipeline.store,
      subjectPartition(WEB_SUBJECT),
    );
    expect(applied.hash).toBe(head.hash);
  });

  it('is a failure if its status is requested', async () => {
    await bindAndAggregate(WANTED);
    await expect(write()).rejects.toThrow('not allowed');
  });

  it('is a failure if an owned status must be removed', async () => {
    await bindAndAggregate(WANTED);
    await pipeline.write(HINT);
    await bindAndAggregate({});
    await expect(write()).rejects.toThrow('not allowed');
  });

  it('is a failure if the credentials are rejected, whatever is requested', async () => {
    await bindAndAggregate({});
    await expect(write(true)).rejects.toThrow('not allowed');
  });
});
