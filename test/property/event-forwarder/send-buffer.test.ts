import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runBatcher } from '#functions/event-forwarder/batcher.ts';
import { SendBuffer } from '#functions/event-forwarder/send-buffer.ts';
import { SentDigests } from '#functions/event-forwarder/sent-digests.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { objectKey } from '#shared/core/workload.ts';
import { heard, SentMessages } from '#test/fakes/sent-messages.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const SOURCES = ['wds1', 'wds2'] as const;
const NAMES = ['a', 'b', 'c'] as const;
type Name = (typeof NAMES)[number];
const EPOCH = 2;

type Op =
  | {
      readonly type: 'upsert';
      readonly source: number;
      readonly name: Name;
      readonly n: number;
      readonly again: boolean;
    }
  | { readonly type: 'remove'; readonly source: number; readonly name: Name }
  /** Goes, comes and goes before anything can be sent. */
  | { readonly type: 'blink'; readonly source: number; readonly name: Name }
  /** Everything that stands is said again, then that this is all. */
  | { readonly type: 'snapshot'; readonly source: number }
  | { readonly type: 'queue'; readonly mode: 'accept' | 'lost' | 'unknown' | 'late' }
  | { readonly type: 'leading'; readonly is: boolean }
  | { readonly type: 'wait'; readonly ms: number };

const source = fc.nat({ max: SOURCES.length - 1 });
const name = fc.constantFrom(...NAMES);
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('upsert' as const),
      source,
      name,
      n: fc.nat({ max: 2 }),
      again: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('remove' as const), source, name }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('blink' as const), source, name }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('snapshot' as const), source }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('queue' as const),
      mode: fc.constantFrom('accept' as const, 'accept', 'accept', 'lost', 'unknown', 'late'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('leading' as const),
      is: fc.constantFrom(true, true, false),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('wait' as const),
      ms: fc.constantFrom(5, 10, 1000),
    }),
  },
);

/** Objects without a status are sent after the others. A Binding is sent at most once a second. */
const TYPES = {
  a: { group: 'apps', resource: 'deployments' },
  b: { group: '', resource: 'configmaps' },
  c: { group: 'control.kubestellar.io', resource: 'bindings' },
};

function subjectOf(objectName: Name) {
  return { ...TYPES[objectName], namespace: 'default', name: objectName };
}

function truthKey(index: number, objectName: Name): string {
  return `wds/${SOURCES[index]} ${objectKey(subjectOf(objectName))}`;
}

/** What an earlier forwarder has said: of each object that it stands. */
function saidBefore(): readonly ForwarderEvent[] {
  return SOURCES.flatMap((sourceName) =>
    NAMES.map((objectName, index) => ({
      source: { type: 'wds' as const, name: sourceName },
      version: { epoch: EPOCH - 1, sequence: index + 1 },
      time: '2026-08-01T00:00:00Z',
      content: {
        type: 'wds-object' as const,
        subject: subjectOf(objectName),
        first: true,
        object: { n: 'before' },
      },
    })),
  );
}

class Sender {
  readonly queue = new SentMessages();
  readonly time = new VirtualTime();
  readonly sendBuffer = new SendBuffer({ epoch: EPOCH, clock: this.time.clock });
  readonly #digests = SOURCES.map(
    (own) => new SentDigests(this.sendBuffer, { type: 'wds', name: own }),
  );
  /** What stands, as `heard` has it. */
  readonly truth = new Map<string, unknown>();
  #leading = true;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  readonly #padding: string;

  /** @param padding makes events so large that there are some in a message, and some messages in a request */
  constructor(padding = '') {
    const ignore = (): void => undefined;
    const { queue, time } = this;
    this.#padding = padding;
    this.#ended = runBatcher(
      {
        // What is in one request may arrive in any order.
        group: 'wec/a',
        queue: { send: (messages, signal) => queue.send(messages.toReversed(), signal) },
        sleep: time.sleep,
        random: () => 0.5,
        clock: time.clock,
        windowMs: 10,
        isLeading: () => this.#leading,
        onTooLarge: ignore,
        onFailure: ignore,
        onSent: ignore,
      },
      this.sendBuffer,
      this.#stopping.signal,
    );
  }

  upsert(index: number, objectName: Name, { n, again }: { n: unknown; again: boolean }): void {
    const object = { n: Number(n), padding: this.#padding };
    const statement = { type: 'wds-object', subject: subjectOf(objectName), object } as const;
    this.#digests[index]?.upsert(objectName, statement, { compared: object, again });
    this.truth.set(truthKey(index, objectName), object);
  }

  remove(index: number, objectName: Name): void {
    const statement = { type: 'wds-object', subject: subjectOf(objectName) } as const;
    this.#digests[index]?.remove(objectName, statement);
    this.truth.delete(truthKey(index, objectName));
  }

  snapshot(index: number): void {
    const since = this.sendBuffer.version;
    for (const objectName of NAMES) {
      const object = this.truth.get(truthKey(index, objectName));
      if (object !== undefined)
        this.upsert(index, objectName, { ...(object as { n: number }), again: true });
    }
    this.#digests[index]?.complete(since);
  }

  async take(taken: Op): Promise<void> {
    switch (taken.type) {
      case 'upsert':
        return this.upsert(taken.source, taken.name, taken);
      case 'remove':
        return this.remove(taken.source, taken.name);
      case 'blink':
        this.remove(taken.source, taken.name);
        this.upsert(taken.source, taken.name, { n: 1, again: false });
        return this.remove(taken.source, taken.name);
      case 'snapshot':
        return this.snapshot(taken.source);
      case 'queue':
        this.queue.mode = taken.mode;
        return this.queue.release();
      case 'leading':
        this.#leading = taken.is;
        return;
      case 'wait':
        return this.time.advance(taken.ms);
    }
  }

  /** Lets everything be sent, and ends. */
  async heal(): Promise<void> {
    this.#leading = true;
    this.queue.mode = 'accept';
    this.queue.release();
    this.sendBuffer.close();
    await this.time.advance(60_000);
    await this.#ended;
  }
}

/** What was accepted up to the end of each snapshot. */
function prefixes(events: readonly ForwarderEvent[]): readonly (readonly ForwarderEvent[])[] {
  return events.flatMap((event, index) =>
    event.content.type === 'snapshot' ? [events.slice(0, index + 1)] : [],
  );
}

/** An end of a snapshot, by which it is known what stood then. */
function endOf(sourceName: string | undefined, sequence: number | undefined): string {
  return `wds/${sourceName} ${sequence}`;
}

/** What stood in a source at each end of a snapshot, after operations of which none lets anything fall. */
async function takeAll(sender: Sender, ops: readonly Op[]) {
  const stood = new Map<string, readonly string[]>();
  for (const one of ops.filter(({ type }) => type !== 'remove' && type !== 'blink')) {
    await sender.take(one);
    if (one.type !== 'snapshot') continue;
    const name = SOURCES[one.source];
    const own = [...sender.truth.keys()].filter((key) => key.startsWith(`wds/${name} `));
    stood.set(endOf(name, sender.sendBuffer.version.sequence), own);
  }
  return stood;
}

test('who knows what was said before, and hears what is sent, knows in the end what stands', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { maxLength: 60 }), async (ops) => {
      const sender = new Sender();
      for (const one of ops) await sender.take(one);
      for (const index of SOURCES.keys()) sender.snapshot(index);
      await sender.heal();
      expect(sender.sendBuffer.size).toBe(0);
      const known = heard([...saidBefore(), ...sender.queue.events()]);
      expect(Object.fromEntries(known)).toEqual(Object.fromEntries(sender.truth));
    }),
    { numRuns: 1000 },
  );
});

test('what is sent after the first end of a snapshot leaves nothing behind that has fallen', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { maxLength: 60 }), async (ops) => {
      const sender = new Sender();
      for (const index of SOURCES.keys()) sender.snapshot(index);
      for (const one of ops) await sender.take(one);
      await sender.heal();
      const known = heard([...saidBefore(), ...sender.queue.events()]);
      expect(Object.fromEntries(known)).toEqual(Object.fromEntries(sender.truth));
    }),
    { numRuns: 1000 },
  );
});

test('the end of a snapshot never comes before what stood at its time, whatever is lost and however many sources there are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { maxLength: 60 }), async (ops) => {
      const sender = new Sender('x'.repeat(40_000));
      const stood = await takeAll(sender, ops);
      await sender.heal();
      for (const prefix of prefixes(sender.queue.events())) {
        const end = prefix.at(-1);
        const then = stood.get(endOf(end?.source.name, end?.version.sequence));
        expect([...heard(prefix).keys()]).toEqual(expect.arrayContaining([...(then ?? ['?'])]));
      }
    }),
    { numRuns: 300 },
  );
});
