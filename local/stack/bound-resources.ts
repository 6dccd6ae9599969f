import { type BoundObject, parseBinding } from '#shared/core/binding/binding.ts';
import { controlResource } from '#shared/core/kubestellar.ts';
import type { Resource, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { Waiting } from '#shared/watch/backoff.ts';
import { Reflector } from '#shared/watch/reflector.ts';

/** Follows which resources the Bindings of a WDS name. */
export interface BoundResources {
  stop(): Promise<void>;
}

const BINDINGS: Resource = controlResource('bindings');

function keyOf({ group, version, resource }: Resource): string {
  return `${group}/${version}/${resource}`;
}

function resourcesOf(bindings: Iterable<readonly BoundObject[]>): readonly Resource[] {
  const resources = new Map<string, Resource>();
  for (const objects of bindings)
    for (const { group, version, resource } of objects) {
      const bound = { group, version, resource };
      resources.set(keyOf(bound), bound);
    }
  return [...resources.keys()].sort().flatMap((key) => resources.get(key) ?? []);
}

/** Tells the resources that the Bindings name, once they are listed, and whenever that changes. */
export function followBoundResources(
  api: ResourceApi,
  options: Waiting & { readonly onChange: (resources: readonly Resource[]) => void },
): BoundResources {
  const stopping = new AbortController();
  const bindings = new Map<string, readonly BoundObject[]>();
  let told: string | undefined;
  let synced = false;
  const tell = (): void => {
    if (!synced) return;
    const resources = resourcesOf(bindings.values());
    const now = resources.map(keyOf).join(' ');
    if (now === told) return;
    told = now;
    options.onChange(resources);
  };
  const reflector = new Reflector(api, options, {
    resource: BINDINGS,
    selection: {},
    onReflection: (reflection) => {
      if (reflection.type === 'synced') synced = true;
      else if (reflection.type === 'deleted') bindings.delete(reflection.key);
      else bindings.set(reflection.key, parseBinding(reflection.object).objects);
      tell();
    },
    onState: () => undefined,
  });
  const ended = reflector.run(stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
