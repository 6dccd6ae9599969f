import type { NamesOfBindings } from '#functions/event-forwarder/bound-source.ts';
import { parseBinding } from '#shared/core/binding/binding.ts';
import { controlResource } from '#shared/core/kubestellar.ts';
import type { Resource, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { Waiting } from '#shared/watch/backoff.ts';
import { NamesByAge } from '#shared/watch/names-by-age.ts';
import { Reflector } from '#shared/watch/reflector.ts';

/** Follows which resources the Bindings of a WDS name. */
export interface BoundResources extends NamesOfBindings {
  stop(): Promise<void>;
}

const BINDINGS: Resource = controlResource('bindings');

/** Follows what the Bindings of a WDS name, from now on. */
export function followBoundResources(api: ResourceApi, waiting: Waiting): BoundResources {
  const stopping = new AbortController();
  const named = new NamesByAge();
  const listeners: (() => void)[] = [];
  let synced = false;
  const reflector = new Reflector(api, waiting, {
    resource: BINDINGS,
    selection: {},
    onReflection: (reflection) => {
      if (reflection.type === 'synced') synced = true;
      else if (reflection.type === 'deleted') named.delete(reflection.key);
      else named.set(reflection.key, reflection.object, parseBinding(reflection.object).objects);
      for (const listener of listeners) listener();
    },
    onState: () => undefined,
  });
  const ended = reflector.run(stopping.signal);
  return {
    names: () => (synced ? named.resources() : undefined),
    onChange: (listener) => void listeners.push(listener),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
