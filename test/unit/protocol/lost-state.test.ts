import { beforeEach, describe, expect, it } from 'vitest';
import { uncheckedCollector } from '#functions/aggregate-workload/messages.ts';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { member } from '#shared/core/json.ts';
import { controlRef } from '#shared/core/kubestellar.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { readHead } from '#shared/state/head.ts';
import { BINDING, interrupted, Pipeline, WDS, WEB, WEB_SUBJECT } from './pipeline.ts';

const SOURCE = { type: 'wds', name: WDS } as const;
const WECS = ['wec1'];
const API_VERSION = 'control.kubestellar.io/v1alpha1';
const POLICY = controlRef('bindingpolicies', BINDING.name);
const COLLECTOR = controlRef('statuscollectors', 'wecs');

let pipeline: Pipeline;
/** What has happened to CombinedStatuses in the new state. */
let changes: string[];

async function applyAll(): Promise<void> {
  const of = (kind: string, { name }: ObjectRef) => ({
    apiVersion: API_VERSION,
    kind,
    metadata: { name },
  });
  const region = '"region" in inventory.labels ? inventory.labels.region : "none"';
  const spec = {
    select: [
      { name: 'wec', def: 'inventory.name' },
      { name: 'region', def: region },
    ],
  };
  await pipeline.apply(COLLECTOR, { ...of('StatusCollector', COLLECTOR), spec });
  // The Binding does not name the policy as its owner.
  await pipeline.apply(POLICY, of('BindingPolicy', POLICY));
  await pipeline.begin(WECS);
  await pipeline.bind(WECS, { statusCollectors: [COLLECTOR.name] });
}

function combinedStatus(): ObjectRef {
  const found = pipeline.wds.objects().filter(({ ref }) => ref.resource === 'combinedstatuses');
  expect(found).toHaveLength(1);
  // There is one.
  return found[0]?.ref as ObjectRef;
}

/** What the WDS reports of these objects as they are. */
async function report(...refs: readonly ObjectRef[]): Promise<void> {
  for (const ref of refs) {
    const { version: _version, ...subject } = ref;
    const object = await pipeline.wds.api.get(ref);
    const content = {
      type: 'wds-object',
      subject,
      first: true,
      ...(object && { object }),
    } as const;
    await pipeline.record(pipeline.event(SOURCE, content));
  }
}

function endListing(source: { type: 'wds' | 'wec'; name: string }): Promise<void> {
  const since = { epoch: 1, sequence: 0 };
  return pipeline.record(pipeline.event(source, { type: 'snapshot', since }));
}

/** Handles everything but the messages about subjects of a type. @returns those */
async function settleWithout(type: Subject['type']): Promise<readonly DirtyMessage[]> {
  const late: DirtyMessage[] = [];
  for (let dirty = pipeline.takeDirty(); dirty.length > 0; dirty = pipeline.takeDirty()) {
    for (const message of dirty)
      if (message.type === 'subject' && message.subject.type === type) late.push(message);
      else await pipeline.aggregate(message);
    for (const hint of pipeline.takeHints()) await pipeline.write(hint);
  }
  return late;
}

/** A state with everything reported, and then an empty one beside the same objects. */
async function loseState(before = async () => {}): Promise<void> {
  pipeline = new Pipeline();
  await pipeline.listWds();
  await applyAll();
  await pipeline.record(pipeline.said('wec1', 4));
  await before();
  await pipeline.settle();
  const objects = pipeline.wds.objects();
  pipeline = new Pipeline();
  for (const { ref, object } of objects) pipeline.wds.restore(ref, object);
  changes = [];
  pipeline.wds.onChange = ({ type, ref, object }) => {
    const results = JSON.stringify(member(object, 'results'));
    if (ref.resource === 'combinedstatuses') changes.push(`${type} ${ref.name} ${results}`);
  };
}

beforeEach(() => loseState());

describe('a CombinedStatus that exists when the state is lost', () => {
  it('stays while the BindingPolicy that its name contains is not reported', async () => {
    await report(WEB, COLLECTOR, BINDING);
    await pipeline.settle();
    expect(changes).toEqual([]);
    await report(combinedStatus());
    await pipeline.settle();
    await report(POLICY);
    await endListing(SOURCE);
    await pipeline.settle();
    expect(changes).toEqual([]);
    await pipeline.record(pipeline.said('wec1', 4));
    await endListing({ type: 'wec', name: 'wec1' });
    await pipeline.settle();
    expect(changes).toEqual([]);
  });

  it('stays if the listing ends before anybody has looked at what was reported about it', async () => {
    await report(WEB, COLLECTOR, BINDING);
    await pipeline.settle();
    await report(combinedStatus(), POLICY);
    const late = pipeline.takeDirty();
    const lateHints = pipeline.takeHints();
    await endListing(SOURCE);
    await pipeline.settle();
    expect(changes).toEqual([]);
    for (const message of late) await pipeline.aggregate(message);
    for (const hint of lateHints) await pipeline.write(hint);
    await pipeline.record(pipeline.said('wec1', 4));
    await endListing({ type: 'wec', name: 'wec1' });
    await pipeline.settle();
    expect(changes).toEqual([]);
  });

  it('stays if the listing ends after the writer has looked for what was reported about it', async () => {
    await report(WEB, COLLECTOR, BINDING);
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message);
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message);
    const moment = { call: 'query', sk: 'STRAY#', when: 'after' } as const;
    let hasHappened = false;
    const slow = interrupted(pipeline.store, moment, async () => {
      hasHappened = true;
      await report(combinedStatus(), POLICY);
      await endListing(SOURCE);
    });
    for (const hint of pipeline.takeHints())
      if (hint.subject.type === 'workload') await pipeline.write(hint, slow);
    expect({ hasHappened, changes }).toEqual({ hasHappened: true, changes: [] });
    await pipeline.settle();
    expect(changes).toEqual([]);
  });

  it('stays if its Binding was aggregated without the BindingPolicy when the listing ends', async () => {
    await report(WEB, COLLECTOR, BINDING, combinedStatus());
    await pipeline.record(pipeline.said('wec1', 4));
    await pipeline.settle();
    await endListing({ type: 'wec', name: 'wec1' });
    await report(POLICY);
    await endListing(SOURCE);
    const late = await settleWithout('binding');
    expect(changes).toEqual([]);
    for (const message of late) await pipeline.aggregate(message);
    await pipeline.settle();
    expect(changes).toEqual([]);
  });

  it('is replaced in the end by what the WECs report now', async () => {
    const { name } = combinedStatus();
    await report(WEB, COLLECTOR, BINDING, combinedStatus(), POLICY);
    await endListing(SOURCE);
    await endListing({ type: 'wec', name: 'wec1' });
    await pipeline.bind(['wec2'], { statusCollectors: [COLLECTOR.name] });
    await endListing({ type: 'wec', name: 'wec2' });
    await pipeline.settle();
    expect(changes).toEqual([expect.stringMatching(`^MODIFIED ${name} .*"wec2"`)]);
  });
});

describe('a CombinedStatus with the labels of a WEC', () => {
  const wec1 = { type: 'wec', name: 'wec1' } as const;
  const labelled = (name: string, region: string) => {
    const inventory = { labels: { region }, annotations: {} };
    return pipeline.event({ type: 'wec', name }, { type: 'inventory', inventory });
  };
  const label = async (name: string, region: string) => {
    await pipeline.record(labelled(name, region));
    await pipeline.sweep();
    await pipeline.settle();
  };

  beforeEach(async () => {
    await loseState(() => label('wec1', 'eu'));
    pipeline.caches = true;
    // A process that has read the labels of all WECs reads them again only after an announcement.
    await label('wec2', 'us');
  });

  it('stays until the WEC has reported its labels too', async () => {
    await report(WEB, COLLECTOR, BINDING, combinedStatus(), POLICY);
    await endListing(SOURCE);
    await pipeline.record(pipeline.said('wec1', 4));
    await pipeline.settle();
    expect(changes).toEqual([]);
    await pipeline.record(labelled('wec1', 'eu'));
    await endListing(wec1);
    await pipeline.settle();
    expect(changes).toEqual([]);
  });

  it('stays while its StatusCollector is not checked, because the object is tried alone', async () => {
    await report(WEB, COLLECTOR, BINDING, combinedStatus(), POLICY);
    await endListing(SOURCE);
    await pipeline.record(pipeline.said('wec1', 4), labelled('wec1', 'eu'));
    await endListing(wec1);
    const late: DirtyMessage[] = [];
    for (let dirty = pipeline.takeDirty(); dirty.length > 0; dirty = pipeline.takeDirty()) {
      const isOfCollector = (message: DirtyMessage) =>
        message.type === 'subject' && message.subject.type === 'collector';
      late.push(...dirty.filter(isOfCollector));
      for (const message of dirty.filter((one) => !isOfCollector(one)))
        await handleDirty({ ...pipeline.aggregateDeps(), isTrial: true }, [message]);
      for (const hint of pipeline.takeHints()) await pipeline.write(hint);
    }
    const { awaits = [] } = await readHead(pipeline.store, subjectPartition(WEB_SUBJECT));
    expect({ awaits, changes }).toEqual({
      awaits: [uncheckedCollector(COLLECTOR.name)],
      changes: [],
    });
    for (const message of late) await pipeline.aggregate(message);
    await pipeline.settle();
    expect(changes).toEqual([]);
  });

  it('follows labels that changed meanwhile, from the end of the listing on', async () => {
    await report(WEB, COLLECTOR, BINDING, combinedStatus(), POLICY);
    await endListing(SOURCE);
    await pipeline.record(pipeline.said('wec1', 4), labelled('wec1', 'ap'));
    await endListing(wec1);
    await pipeline.settle();
    expect(changes).toEqual([expect.stringMatching('^MODIFIED .*"ap"')]);
  });

  it('follows labels that are reported while it is checked whether the WEC has reported everything', async () => {
    await report(WEB, COLLECTOR, BINDING, combinedStatus(), POLICY);
    await endListing(SOURCE);
    await pipeline.record(pipeline.said('wec1', 4));
    const [late, ...more] = await settleWithout('workload');
    const moment = { call: 'get', sk: 'SNAPSHOT', when: 'before' } as const;
    let hasHappened = false;
    const slow = interrupted(pipeline.store, moment, async () => {
      hasHappened = true;
      await pipeline.record(labelled('wec1', 'eu'));
      await endListing(wec1);
    });
    if (late !== undefined) await pipeline.aggregate(late, slow);
    for (const hint of pipeline.takeHints()) await pipeline.write(hint);
    expect({ hasHappened, changes }).toEqual({ hasHappened: true, changes: [] });
    for (const message of more) await pipeline.aggregate(message);
    await pipeline.settle();
    expect(changes).toEqual([]);
  });
});

describe('a CombinedStatus that does not exist', () => {
  it('is created after the first listing of the WDS, even if a WEC never reports', async () => {
    pipeline.wds.remove(combinedStatus());
    changes = [];
    await report(WEB, COLLECTOR, BINDING, POLICY);
    await pipeline.settle();
    expect(changes).toEqual([]);
    await endListing(SOURCE);
    await pipeline.settle();
    expect(changes).toEqual([expect.stringMatching('^ADDED ')]);
  });
});
