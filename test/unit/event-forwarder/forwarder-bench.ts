import { type Forwarder, startForwarder } from '#functions/event-forwarder/event-forwarder.ts';
import type {
  ForwarderOptions,
  ForwarderSource,
  ForwarderState,
} from '#functions/event-forwarder/forwarder-options.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

/** An event, shortly: `edge-1 deployments/web!` (`!` first, `-` gone), `edge-1 snapshot`, `edge-1 heartbeat`. */
function brief({ source, content }: ForwarderEvent): string {
  if (!('first' in content)) return `${source.name} ${content.type}`;
  const standing = content.type === 'wec-object' ? content.returned : content.object;
  const sign = standing === undefined ? '-' : content.first ? '!' : '';
  return `${source.name} ${content.subject.resource}/${content.subject.name}${sign}`;
}

/** A forwarder with the cluster that it follows and the queue that it sends to. */
export class ForwarderBench {
  readonly cluster = new FakeCluster();
  readonly queue = new SentMessages();
  readonly time = new VirtualTime();
  #forwarder: Forwarder | undefined;

  /** Makes the cluster serve these. */
  serve(...resources: readonly Resource[]): void {
    for (const resource of resources)
      this.cluster.serve({ ...resource, kind: 'Any', namespaced: true, statusSubresource: true });
  }

  start(
    source: ForwarderSource,
    options: Partial<
      Pick<ForwarderOptions, 'config' | 'isLeading' | 'objectsAreHeld' | 'onState'>
    > = {},
  ): Forwarder {
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
    this.#forwarder = startForwarder({
      api: this.cluster,
      queue: this.queue,
      source,
      epoch: 5,
      clock: this.time.clock,
      sleep: this.time.sleep,
      random: () => 0.5,
      logger: silent,
      ...options,
    });
    return this.#forwarder;
  }

  get state(): ForwarderState {
    if (this.#forwarder === undefined) throw new Error('start the forwarder first');
    return this.#forwarder.state();
  }

  /** The resources that are followed, by `<resource>.<group>/<version>`. */
  followed(): readonly string[] {
    return [...this.state.resources.keys()].sort();
  }

  /** What was sent since the last call, after so much more time. */
  async sent(ms = 1000): Promise<readonly string[]> {
    await this.time.advance(ms);
    const events = this.queue.events();
    this.queue.bodies.length = 0;
    return events.map(brief);
  }

  /** As {@link ForwarderBench.sent}, without heartbeats. */
  async said(ms = 1000): Promise<readonly string[]> {
    return (await this.sent(ms)).filter((text) => !text.endsWith(' heartbeat'));
  }

  async stop(): Promise<void> {
    const stopped = this.#forwarder?.stop();
    this.queue.release();
    await stopped;
  }
}

/** An object of the namespace `default`, or of none. */
export function anObject(name: string, rest: JsonObject = {}, namespace = 'default'): JsonObject {
  return {
    kind: 'Any',
    metadata: { name, uid: `uid-${name}`, ...(namespace === '' ? {} : { namespace }) },
    ...rest,
  };
}
