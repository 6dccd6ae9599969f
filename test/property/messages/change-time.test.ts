import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { noFleet } from '#functions/write-results/deps.ts';
import { writeResults } from '#functions/write-results/use-case.ts';
import type { Subject } from '#shared/core/subject.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import type { DirtyMessage, HintMessage } from '#shared/messages/dirty.ts';
import { encodeDirty, encodeHint, parseDirty, parseHint } from '#shared/messages/dirty.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { Pipeline, WDS } from '#test/unit/protocol/pipeline.ts';

const SUBJECT: Subject = { type: 'collector', wds: WDS, name: 'c' };
const REF: ObjectRef = {
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  resource: 'statuscollectors',
  namespace: '',
  name: 'c',
};
const NOW = 2_000_000;

/** Times of several messages, some of which come from a release that knew none. */
const changes = fc.array(
  fc.record({ changedMs: fc.nat(NOW) }, { requiredKeys: [] }) as fc.Arbitrary<ChangeTime>,
  { minLength: 1, maxLength: 12 },
);

function earliest(all: readonly ChangeTime[]): number | undefined {
  return all.flatMap(({ changedMs = [] }) => changedMs).sort((a, b) => a - b)[0];
}

/** A StatusCollector whose status is not what it should be, and nobody has been told. */
async function begin(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(REF, { kind: 'StatusCollector', metadata: { name: 'c' }, spec: {} });
  pipeline.takeDirty();
  return pipeline;
}

it('the hint of an aggregation has the time of the earliest change that it was asked for', async () => {
  await fc.assert(
    fc.asyncProperty(changes, async (all) => {
      const pipeline = await begin();
      const messages = all.map((change, index): DirtyMessage => {
        const message: DirtyMessage = { type: 'subject', subject: SUBJECT, ...change };
        return parseDirty(encodeDirty(message, String(index)).body);
      });
      await handleDirty(pipeline.aggregateDeps(), messages);
      expect(pipeline.takeHints().map(({ changedMs }) => changedMs)).toEqual([earliest(all)]);
    }),
  );
});

it('a write is timed from the earliest change of its hints, and not at all where none is known', async () => {
  await fc.assert(
    fc.asyncProperty(changes, async (all) => {
      const pipeline = await begin();
      await pipeline.aggregate({ type: 'subject', subject: SUBJECT });
      const hints = all.map((change, index): HintMessage => {
        const hint = { subject: SUBJECT, objects: [], ...change };
        return parseHint(encodeHint(hint, String(index)).body);
      });
      const { store, telemetry } = pipeline;
      const dirty: MessageSender = pipeline.aggregateDeps().dirty;
      const wds = () => pipeline.wds.api;
      await writeResults({ store, dirty, wds, fleet: noFleet, telemetry, clock: () => NOW }, hints);
      const since = earliest(all);
      expect(telemetry.times).toEqual(since === undefined ? [] : [NOW - since]);
      expect(telemetry.counts.Writes).toBe(1);
    }),
  );
});
