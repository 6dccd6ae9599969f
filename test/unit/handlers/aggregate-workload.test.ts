import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { encodeDirty, parseDirty, parseHint } from '#shared/messages/dirty.ts';
import { readHead } from '#shared/state/head.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { binding, thing } from '#test/unit/write-results/pipeline-objects.ts';
import { Deployment, STAGE } from './deployment.ts';

const SUBJECT = { type: 'binding', wds: 'wds1', name: 'all' } as const satisfies Subject;
/** As many workload objects as a page has; one more begins another. */
const PAGE = 100;

let deployment: Deployment;
let handler: typeof import('#functions/aggregate-workload/handler.ts').handler;

beforeAll(async () => {
  deployment = await Deployment.start('aggregate-workload');
  ({ handler } = await import('#functions/aggregate-workload/handler.ts'));
});

afterAll(() => deployment.close());

/** Puts a Binding of these objects into the table, as record-events does. */
async function recordBinding(names: readonly string[]): Promise<void> {
  const { store } = deployment;
  const [dirty, hints] = [new SentMessages(), new SentMessages()];
  const deps = { store, specs: createSpecStore(store), dirty, hints, clock: Date.now };
  const subject = {
    group: 'control.kubestellar.io',
    resource: 'bindings',
    namespace: '',
    name: SUBJECT.name,
  };
  const object = binding(['wec1'], names.map(thing));
  await recordEvents(deps, [
    {
      source: { type: 'wds', name: SUBJECT.wds },
      version: { epoch: 1, sequence: 1 },
      time: '2026-01-01T00:00:00Z',
      content: { type: 'wds-object', subject, first: true, object },
    },
  ]);
}

describe('aggregate-workload, as it is put together', () => {
  it('sends hints to the writer, and to itself the workloads and the next page', async () => {
    await recordBinding(Array.from({ length: PAGE + 1 }, (_name, index) => `web-${index}`));
    const message = encodeDirty({ type: 'subject', subject: SUBJECT }, 'test');
    await deployment.queue('DirtyQueue').send([message]);
    expect(await deployment.feed(handler, 'DirtyQueue')).toEqual([]);
    const hints = await deployment.read('HintsQueue', parseHint);
    expect(hints).toEqual([expect.objectContaining({ subject: SUBJECT, objects: [] })]);
    const dirty = await deployment.read('DirtyQueue', parseDirty);
    const [workloads, pages] = [
      dirty.filter((one) => one.type === 'subject' && one.subject.type === 'workload'),
      dirty.filter((one) => one.type === 'members'),
    ];
    expect([workloads.length, pages.length, dirty.length]).toEqual([PAGE, 1, PAGE + 1]);
    const { revision } = await readHead(deployment.store, subjectPartition(SUBJECT));
    expect(pages).toMatchObject([{ binding: SUBJECT.name, revision }]);
    expect(deployment.output()).toContainEqual(
      expect.objectContaining({ service: 'aggregate-workload', stage: STAGE, Folds: 1 }),
    );
  });

  it('lets a message that it cannot handle come again after a second', async () => {
    const bad = { body: 'nonsense', group: 'g' };
    await deployment.queue('DirtyQueue').send([bad]);
    expect(await deployment.feed(handler, 'DirtyQueue')).toEqual([bad.body]);
    expect(await deployment.take('DirtyQueue')).toEqual([]);
    deployment.clock = () => 1_000;
    expect(await deployment.take('DirtyQueue')).toMatchObject([{ ...bad, receiveCount: 2 }]);
    expect(deployment.asked('ChangeMessageVisibilityBatch')).toEqual(['DirtyQueue']);
  });
});
