import { beforeEach, describe, expect, it } from 'vitest';
import { noFleet, type WriteResultsDeps } from '#functions/write-results/deps.ts';
import { createWriteResults } from '#functions/write-results/lambda.ts';
import { REJECTED } from '#functions/write-results/messages.ts';
import { writeResults } from '#functions/write-results/use-case.ts';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import {
  ApiConflictError,
  ApiInvalidError,
  ApiUnavailableError,
  ContentionError,
} from '#shared/errors.ts';
import { encodeHint, type HintMessage } from '#shared/messages/dirty.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';
import { readHead } from '#shared/state/head.ts';
import { Pipeline, WDS, WEB_SUBJECT } from '#test/unit/protocol/pipeline.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';

const WORKLOAD = `${WDS}/apps/deployments/shop/web`;
const HINT: HintMessage = { subject: WEB_SUBJECT, objects: [] };
const COUNT: ObjectRef = {
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  resource: 'statuscollectors',
  namespace: '',
  name: 'count',
};
const COUNT_SPEC: JsonObject = {
  kind: 'StatusCollector',
  metadata: { name: 'count' },
  spec: { combinedFields: [{ name: 'n', type: 'COUNT' }], limit: 5 },
};
const BOTH: JsonObject = { wantMultiWECReportedState: true, statusCollectors: ['count'] };

let pipeline: Pipeline;
/** Milliseconds since the epoch; each answer of the API server takes one. */
let now: number;

beforeEach(async () => {
  now = 1_000;
  pipeline = new Pipeline();
  await pipeline.listWds();
  await pipeline.begin(['wec1']);
  await pipeline.apply(COUNT, COUNT_SPEC);
  await pipeline.settle();
});

/** Lets everything but the writing of the Deployment's results happen. */
async function aggregate(): Promise<void> {
  for (let dirty = pipeline.takeDirty(); dirty.length > 0; dirty = pipeline.takeDirty())
    for (const message of dirty) await pipeline.aggregate(message);
  for (const hint of pipeline.takeHints())
    if (hint.subject.type !== 'workload') await pipeline.write(hint);
  pipeline.telemetry.lines.length = 0;
  for (const name of ['Folds', 'Writes', 'EventsCoalesced'] as const)
    delete pipeline.telemetry.counts[name];
}

/** The API server of the WDS, slow by a millisecond; what a test gives answers first. */
function deps(before: (verb: keyof ObjectApi, ref: ObjectRef) => void = () => undefined) {
  const { api } = pipeline.wds;
  const call = <Answer>(verb: keyof ObjectApi, ref: ObjectRef, run: () => Promise<Answer>) => {
    now += 1;
    before(verb, ref);
    return run();
  };
  const answering: ObjectApi = {
    get: api.get,
    create: (ref, object) => call('create', ref, () => api.create(ref, object)),
    replace: (ref, object) => call('replace', ref, () => api.replace(ref, object)),
    replaceStatus: (ref, change) =>
      call('replaceStatus', ref, () => api.replaceStatus(ref, change)),
    patchLabels: (ref, change) => call('patchLabels', ref, () => api.patchLabels(ref, change)),
    delete: (ref, precondition) => call('delete', ref, () => api.delete(ref, precondition)),
  };
  const { store, telemetry } = pipeline;
  const { dirty } = pipeline.aggregateDeps();
  const made: WriteResultsDeps = {
    store,
    dirty,
    telemetry,
    wds: () => answering,
    fleet: noFleet,
    clock: () => now,
  };
  return made;
}

/** The objects that a line says were written, with what it says of them. */
function written(): readonly unknown[] {
  return pipeline.telemetry.lines
    .filter(({ message }) => message === 'written')
    .map(({ fields }) => fields);
}

async function revision(): Promise<number> {
  return (await readHead(pipeline.store, subjectPartition(WEB_SUBJECT))).revision;
}

/** The CombinedStatus is wanted, and the Deployment's status. */
async function wantBoth(): Promise<void> {
  await pipeline.bind(['wec1'], BOTH);
  await pipeline.record(pipeline.said('wec1', 3));
  await aggregate();
}

describe('what write-results logs about a write', () => {
  it('is a line and a count for each object that it created or changed, and the time of the last', async () => {
    await wantBoth();
    // The Deployment takes two calls: its label, then its status.
    await writeResults(deps(), [{ ...HINT, changedMs: 900 }]);
    const line = { wds: WDS, workload: WORKLOAD, revision: await revision() };
    expect(written()).toEqual([
      { ...line, object: 'deployments.apps shop/web', action: 'changed', sinceChangeMs: 102 },
      {
        ...line,
        object: expect.stringMatching(/^combinedstatuses\.control\.kubestellar\.io shop\//),
        action: 'created',
        sinceChangeMs: 103,
      },
    ]);
    expect(pipeline.telemetry.lines.every(({ level }) => level === 'info')).toBe(true);
    expect(pipeline.telemetry.counts).toEqual({ Writes: 2 });
    expect(pipeline.telemetry.times).toEqual([103]);
  });

  it('is a line and a count for an object that it deleted', async () => {
    await wantBoth();
    await writeResults(deps(), [HINT]);
    await pipeline.bind(['wec1']);
    await aggregate();
    await writeResults(deps(), [HINT]);
    expect(written()).toMatchObject([{ action: 'deleted' }]);
    expect(pipeline.telemetry.counts).toEqual({ Writes: 1 });
  });

  it('is nothing if nothing was written', async () => {
    await wantBoth();
    await writeResults(deps(), [HINT]);
    pipeline.telemetry.lines.length = 0;
    await writeResults(deps(), [{ ...HINT, changedMs: 900 }]);
    expect(pipeline.telemetry.lines).toEqual([]);
    expect(pipeline.telemetry.times).toEqual([]);
    expect(pipeline.telemetry.counts.Writes).toBe(2);
  });

  it('is nothing if the API server found nothing to change', async () => {
    await wantBoth();
    const { api } = pipeline.wds;
    const same = async (ref: ObjectRef): Promise<JsonObject> => (await api.get(ref)) ?? {};
    const idle: ObjectApi = { ...api, replaceStatus: same, patchLabels: same, create: same };
    const made = { ...deps(), wds: () => idle };
    await writeResults(made, [{ ...HINT, changedMs: 900 }]);
    expect(written()).toMatchObject([{ action: 'created' }]);
  });

  it('has no time if no message knows when the change was', async () => {
    await wantBoth();
    await writeResults(deps(), [HINT]);
    expect(pipeline.telemetry.times).toEqual([]);
    expect(written()[0]).not.toHaveProperty('sinceChangeMs');
  });

  it('has no time below 0 if the clock of the queue is ahead', async () => {
    await wantBoth();
    await writeResults(deps(), [{ ...HINT, changedMs: 5_000 }]);
    expect(pipeline.telemetry.times).toEqual([0]);
  });

  it('is also reported if the API server fails after it', async () => {
    await wantBoth();
    const down = deps((verb) => {
      if (verb === 'create') throw new ApiUnavailableError('POST', 'no answer');
    });
    await expect(writeResults(down, [{ ...HINT, changedMs: 900 }])).rejects.toThrow(
      ApiUnavailableError,
    );
    expect(written()).toMatchObject([{ object: 'deployments.apps shop/web' }]);
    expect(pipeline.telemetry.counts).toEqual({ Writes: 1 });
    expect(pipeline.telemetry.times).toEqual([102]);
  });
});

describe('what write-results logs about a rejection', () => {
  it('is a warning and a count for each object that was rejected, beside what was written', async () => {
    await wantBoth();
    const refusing = deps((verb) => {
      if (verb === 'create') throw new ApiInvalidError('POST', 'results: Too long');
    });
    await writeResults(refusing, [HINT]);
    expect(pipeline.telemetry.counts).toEqual({ Writes: 1, WritesRefused: 1 });
    expect(pipeline.telemetry.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: REJECTED,
        fields: {
          wds: WDS,
          workload: WORKLOAD,
          object: expect.stringMatching(/^combinedstatuses/),
          revision: await revision(),
          reason: 'results: Too long',
        },
      },
    ]);
  });
});

describe('what write-results logs about conflicts', () => {
  it('is a count for each time that it starts again; an object counts once', async () => {
    await wantBoth();
    let conflicts = 2;
    const busy = deps((verb) => {
      if (verb !== 'create' || conflicts === 0) return;
      conflicts -= 1;
      throw new ApiConflictError('POST', 'exists');
    });
    await writeResults(busy, [HINT]);
    expect(pipeline.telemetry.counts).toEqual({ Writes: 2, WriteConflicts: 2 });
    expect(written()).toHaveLength(2);
  });

  it('is one for each attempt of those that come to nothing', async () => {
    await wantBoth();
    const busy = deps((verb) => {
      if (verb === 'create') throw new ApiConflictError('POST', 'exists');
    });
    await expect(writeResults(busy, [HINT])).rejects.toThrow(ContentionError);
    expect(pipeline.telemetry.counts).toEqual({ Writes: 1, WriteConflicts: 10 });
  });
});

describe('what the function prints', () => {
  async function printed(made: WriteResultsDeps) {
    const { observability, lines } = createObservedOutput();
    const telemetry = createTelemetry(observability);
    const handler = createWriteResults({ ...made, telemetry }, observability);
    const { body } = encodeHint({ ...HINT, changedMs: 900 }, 'x');
    const message = { messageId: 'm1', receiptHandle: 'm1', body, senderId: 's' };
    const event = sqsEvent('hints', [{ ...message, receiveCount: 1, sentAt: 0 }]);
    await handler(event, localContext('write-results', 'request-1'));
    return lines();
  }

  it('is a line for each object, with the request id, and the metrics', async () => {
    await wantBoth();
    const about = { workload: WORKLOAD, function_request_id: 'request-1' };
    const metrics = { Name: 'ChangeToWds', Unit: 'Milliseconds' };
    expect(await printed(deps())).toMatchObject([
      { level: 'INFO', message: 'written', ...about },
      { level: 'INFO', message: 'written', ...about },
      {
        _aws: {
          CloudWatchMetrics: [
            { Namespace: 'Starfold', Metrics: [{ Name: 'Writes', Unit: 'Count' }, metrics] },
          ],
        },
        Writes: 2,
        ChangeToWds: 103,
      },
    ]);
  });

  it('names the workload, and why, when it fails; what it did before counts', async () => {
    await wantBoth();
    const down = deps((verb) => {
      if (verb === 'create')
        throw new ApiUnavailableError('POST', 'no answer', { cause: new Error('ECONNREFUSED') });
    });
    expect(await printed(down)).toMatchObject([
      { message: 'written' },
      {
        level: 'ERROR',
        wds: WDS,
        workload: WORKLOAD,
        messageIds: ['m1'],
        code: 'api-unavailable',
        error: {
          message: expect.stringContaining('no answer'),
          cause: { message: 'ECONNREFUSED' },
        },
      },
      { Writes: 1, RetryableFailures: 1 },
    ]);
  });
});
