import { vi } from 'vitest';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import { at, isArray, isObject, type JsonObject, textAt } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { apply, type Cluster, collectionPath, read, requestOk, watch } from '#test/e2e/clusters.ts';
import { edit } from '#test/e2e/controls.ts';
import { ARGOCD } from './argo-objects.ts';
import { NAMESPACE } from './shop.ts';

const APPLICATIONS = { group: 'argoproj.io', version: 'v1alpha1', resource: 'applications' };

/** How long a release may take to be synced. */
const PATIENCE = { timeout: 90_000, interval: 100 };

function refOf(name: string): ObjectRef {
  return { ...APPLICATIONS, namespace: ARGOCD, name };
}

/** Where an Application's manifests come from and go to. */
export interface ApplicationOf {
  readonly name: string;
  /** A folder with a git repository. */
  readonly repository: string;
  readonly branch: string;
  /** URL of an API server. */
  readonly server: string;
  readonly selfHeal: boolean;
}

/** An Application that is synced by itself, with prune and server-side apply. */
export function applicationOf(plan: ApplicationOf): JsonObject {
  const { name, repository, branch, server, selfHeal } = plan;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: ARGOCD },
    spec: {
      project: 'default',
      source: { repoURL: `file://${repository}`, targetRevision: branch, path: '.' },
      destination: { server, namespace: NAMESPACE },
      syncPolicy: {
        automated: { prune: true, selfHeal },
        syncOptions: [
          'CreateNamespace=true',
          'ServerSideApply=true',
          // In the foreground it would wait for the garbage collector, which does not run here.
          'PrunePropagationPolicy=background',
        ],
      },
    },
  };
}

/** What Argo CD says of a resource of an Application. */
interface ResourceVerdict {
  readonly kind: string;
  readonly name: string;
  readonly health: ArgoCdStatus | undefined;
  readonly sync: string;
}

/** What Argo CD says of an Application. */
export interface Said {
  readonly health: string;
  readonly sync: string;
  readonly resources: readonly ResourceVerdict[];
}

function saidOf(application: JsonObject | undefined): Said {
  const resources = at(application, 'status', 'resources');
  return {
    health: textAt(application, 'status', 'health', 'status'),
    sync: textAt(application, 'status', 'sync', 'status'),
    resources: (isArray(resources) ? resources : []).map((one) => ({
      kind: textAt(one, 'kind'),
      name: textAt(one, 'name'),
      // Argo CD writes no other words.
      health: (textAt(one, 'health', 'status') || undefined) as ArgoCdStatus | undefined,
      sync: textAt(one, 'status'),
    })),
  };
}

/** The Applications of Argo CD in a cluster. */
export class Applications {
  readonly #cluster: Cluster;
  readonly #outOfSync: string[] = [];

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Makes an Application, unless it is there, and Argo CD look at its repository. */
  async put(plan: ApplicationOf): Promise<void> {
    await apply(this.#cluster, refOf(plan.name), applicationOf(plan));
    const refresh = { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } };
    await edit(this.#cluster, refOf(plan.name), refresh);
  }

  async said(name: string): Promise<Said> {
    return saidOf(await read(this.#cluster, refOf(name)));
  }

  /** Waits until Argo CD has synced a commit. */
  async synced(name: string, commit: string): Promise<void> {
    await vi.waitFor(async () => {
      const application = await read(this.#cluster, refOf(name));
      const operation = at(application, 'status', 'operationState');
      const found = [
        textAt(operation, 'syncResult', 'revision'),
        textAt(operation, 'phase'),
        textAt(application, 'status', 'sync', 'status'),
      ];
      const wanted = [commit, 'Succeeded', 'Synced'];
      if (found.join() !== wanted.join())
        throw new Error(`${name}: ${found.join()}: ${textAt(operation, 'message')}`);
    }, PATIENCE);
  }

  /** Follows an Application from now on, to know whether it was ever out of sync. */
  async follow(name: string): Promise<void> {
    const path = collectionPath(APPLICATIONS, ARGOCD);
    const list = await requestOk(this.#cluster, { method: 'GET', path });
    const from = `resourceVersion=${textAt(list, 'metadata', 'resourceVersion')}`;
    const only = `fieldSelector=metadata.name%3D${name}`;
    const note = ({ object }: JsonObject): boolean => {
      const { sync, resources } = saidOf(isObject(object) ? object : undefined);
      const others = resources.filter((resource) => resource.sync !== 'Synced');
      if (sync !== 'Synced' || others.length > 0)
        this.#outOfSync.push(
          [sync, ...others.map((one) => `${one.kind} ${one.name} ${one.sync}`)].join(', '),
        );
      return false;
    };
    // Until its API server ends.
    watch(this.#cluster, `${path}?watch=true&${from}&${only}`, note).catch(() => undefined);
  }

  /** When the Application that is followed was out of sync since the last call, and what of it. */
  outOfSync(): readonly string[] {
    return this.#outOfSync.splice(0);
  }
}
