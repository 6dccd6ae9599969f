import { untilAborted } from '#shared/concurrency.ts';
import type { EventSource } from '#shared/core/event.ts';
import { fleetContent } from '#shared/core/fleet/fleet-content.ts';
import { gitRepoOf } from '#shared/core/fleet/git-job.ts';
import {
  AGGREGATED_RESOURCES,
  FLEET_GROUP,
  FLEET_VERSION,
  type FleetResource,
} from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { groupResource } from '#shared/core/resource-name.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { fleetOwnedHash } from '#shared/state/owned-hashes.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import { Reflectors } from '#shared/watch/reflectors.ts';
import type { SentDigests } from './sent-digests.ts';
import { digestKeyOf, type Source, type SourceDeps, subjectOf } from './source.ts';

type Followed = Resource & { readonly resource: FleetResource };

function ofFleet(resource: FleetResource): Followed {
  return { group: FLEET_GROUP, version: FLEET_VERSION, resource };
}

/** The resources that every installation of Fleet has. */
const CORE = [
  'bundles',
  'bundledeployments',
  'clusters',
  'clustergroups',
  'gitrepos',
] as const satisfies readonly FleetResource[];

const CORE_KEYS: ReadonlySet<string> = new Set(
  CORE.map((resource) => groupResource(ofFleet(resource))),
);

/** Resources that may be missing. Older versions of Fleet have no HelmOps. The result of a git job is also in its GitRepo. */
const OPTIONAL: readonly Followed[] = [
  ofFleet('helmops'),
  { group: 'batch', version: 'v1', resource: 'jobs' },
];

/** A Bundle contains all its manifests, up to the size limit of etcd. A page of hundreds would not fit into a small pod. */
const BUNDLES_IN_PAGE = 50;

/** The resources whose statuses Starfold may write. */
const WRITTEN: ReadonlySet<FleetResource> = new Set(AGGREGATED_RESOURCES);

/** The reported part of an object. */
interface Reported {
  readonly object: JsonObject;
  readonly ownedHash?: string;
}

function reportedOf(resource: FleetResource, object: JsonObject): Reported {
  const reported = { object: fleetContent(resource, object) };
  return WRITTEN.has(resource) ? { ...reported, ownedHash: fleetOwnedHash(object) } : reported;
}

/** A Job is reported only if a GitRepo owns it. All other objects are reported. */
function isReported(resource: FleetResource, object: JsonObject): boolean {
  return resource !== 'jobs' || gitRepoOf(object) !== '';
}

/**
 * A management cluster of Fleet. The source reports the objects that statuses depend on, reduced to the relevant parts. For
 * objects whose statuses are written, it adds a hash of the status. So these events are the echo of the writes
 * (docs/architecture.md, section 5, "The protocol", rule 4). No object is kept: each is reduced as soon as it has been read.
 */
export class FleetSource implements Source {
  readonly #self: EventSource;
  readonly #digests: SentDigests;
  readonly reflectors: Reflectors;

  constructor(deps: SourceDeps, name: string) {
    this.#self = { type: 'fleet', name };
    this.#digests = deps.digestsOf(this.#self);
    this.reflectors = new Reflectors(deps, (resource, reflection) =>
      // Only these resources are followed.
      this.#reflect(resource as Followed, reflection),
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    for (const resource of CORE)
      this.reflectors.follow(ofFleet(resource), {
        selection: resource === 'bundles' ? { pageSize: BUNDLES_IN_PAGE } : {},
      });
    for (const resource of OPTIONAL) this.reflectors.follow(resource, { optional: true });
    await untilAborted(signal);
    await this.reflectors.stop();
  }

  /**
   * If the definitions of Fleet are missing, nothing is known of the cluster. It does not count as a cluster without objects,
   * because the definitions may be being replaced.
   */
  complete(): boolean {
    const isUnserved = this.reflectors
      .entries()
      .some(([resource, { unserved }]) => unserved && CORE_KEYS.has(groupResource(resource)));
    return !isUnserved && this.reflectors.synced();
  }

  alive(): readonly EventSource[] {
    return [this.#self];
  }

  #reflect(resource: Followed, reflection: Reflection): void {
    if (reflection.type === 'synced') return;
    const key = digestKeyOf(resource, reflection.key);
    const statement = {
      type: 'fleet-object',
      subject: subjectOf(resource, reflection.key),
    } as const;
    if (reflection.type === 'deleted' || !isReported(resource.resource, reflection.object)) {
      this.#digests.remove(key, statement);
      return;
    }
    const reported = reportedOf(resource.resource, reflection.object);
    const digested = { compared: { ...reported }, again: reflection.relisted };
    this.#digests.upsert(key, { ...statement, ...reported }, digested);
  }
}
