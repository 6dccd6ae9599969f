import type { ReturnedObject } from '#shared/core/event.ts';
import { isSourceName } from '#shared/core/names.ts';
import { groupResource, resourceName } from '#shared/core/resource-name.ts';
import { returnedObject } from '#shared/core/status/returned-object.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import type { Reflection } from '#shared/watch/reflection.ts';
import { unknownOrigin } from './messages.ts';
import { NamedSource } from './named-source.ts';
import { Problems } from './problems.ts';
import { isReturned } from './returned-resources.ts';
import { digestKeyOf, type SourceDeps, subjectOf } from './source.ts';
import {
  APPLIED_WORKS,
  type AppliedWork,
  originOfWork,
  owningWorks,
  parseAppliedWork,
  type WorkOrigin,
} from './work-origin.ts';

/** Selects the objects of a WEC that OCM's agent has applied. */
export interface WorkSelection {
  readonly appliedManifestWorks: true;
  /** The WDS of works whose name does not contain it. Absent: the objects that these works have applied are not reported. */
  readonly wds?: string;
}

/** An object that exists in the WEC and that a work owns. */
interface OwnedObject {
  readonly resource: Resource;
  /** The reflector's key: `<namespace>/<name>`. */
  readonly key: string;
  readonly owners: readonly string[];
}

/**
 * A workload execution cluster in which OCM's agent applies ManifestWorks of KubeStellar or others. The source reports every
 * object that an AppliedManifestWork owns. It follows the resources of these objects while a work has applied some of them
 * (docs/architecture.md, section 7).
 */
export class WorkSource extends NamedSource {
  readonly #deps: SourceDeps;
  readonly #defaultWds: string | undefined;
  /** By the reflector's key. */
  readonly #applied = new Map<string, AppliedWork>();
  /** The resources of applied objects, with the number of works that have applied them, by name. */
  readonly #counts = new Map<string, { readonly resource: Resource; readonly count: number }>();
  /** The name of each work's ManifestWork, by the uid of the AppliedManifestWork. */
  readonly #names = new Map<string, string>();
  /** The works whose objects are not reported, by uid. */
  readonly #mute: Problems;
  /** The WDSes for which an object is reported, by its digest key. */
  readonly #reportedWdses = new Map<string, readonly string[]>();
  /** Objects whose owner has not been seen yet, by digest key, with the part to report. */
  readonly #waiting = new Map<string, OwnedObject & { readonly returned: ReturnedObject }>();
  #areWorksListed = false;

  constructor(deps: SourceDeps, name: string, { wds }: WorkSelection) {
    super(deps, { type: 'wec', name }, { always: [APPLIED_WORKS] });
    this.#deps = deps;
    this.#mute = new Problems('ManifestWorks', deps.onProgress);
    this.#defaultWds = wds;
  }

  protected names(): readonly Resource[] | undefined {
    return this.#areWorksListed
      ? [...this.#counts.values()].map(({ resource }) => resource)
      : undefined;
  }

  protected reflect(resource: Resource, reflection: Reflection): void {
    if (resource === APPLIED_WORKS) this.#reflectWork(reflection);
    else this.#reflectObject(resource, reflection);
  }

  override problems(): readonly string[] {
    return [...this.#mute.shown(), ...super.problems()];
  }

  /** The origin of a ManifestWork. If the WDS comes from the configuration, the name does not identify the object. */
  #originOf(manifestWorkName: string): Partial<WorkOrigin> {
    const named = originOfWork(manifestWorkName);
    if (named !== undefined && isSourceName(named.wds)) return named;
    return this.#defaultWds === undefined ? {} : { wds: this.#defaultWds };
  }

  #reflectWork(reflection: Reflection): void {
    if (reflection.type === 'synced') {
      this.#areWorksListed = true;
      this.named.change();
      return;
    }
    const { key } = reflection;
    this.#replace(
      key,
      reflection.type === 'deleted' ? undefined : parseAppliedWork(reflection.object),
    );
  }

  #replace(key: string, work: AppliedWork | undefined): void {
    const before = this.#applied.get(key);
    if (work === undefined) this.#applied.delete(key);
    else this.#applied.set(key, work);
    if (before !== undefined && before.uid !== work?.uid) this.#forgetOwner(before);
    if (work !== undefined && !this.#names.has(work.uid)) this.#meetOwner(work);
    const come = this.#count(work, 1);
    const gone = this.#count(before, -1);
    if (come || gone) this.named.change();
  }

  /** Adds or subtracts the resources of a work. Returns whether a resource was added or removed. */
  #count(work: AppliedWork | undefined, difference: 1 | -1): boolean {
    let changed = false;
    for (const resource of (work?.resources ?? []).filter(isReturned)) {
      const name = resourceName(resource);
      const count = (this.#counts.get(name)?.count ?? 0) + difference;
      changed ||= count === 0 || (count === 1 && difference === 1);
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, { resource, count });
    }
    return changed;
  }

  #forgetOwner({ uid }: AppliedWork): void {
    this.#names.delete(uid);
    this.#mute.set(uid, undefined);
  }

  #meetOwner({ uid, manifestWorkName }: AppliedWork): void {
    this.#names.set(uid, manifestWorkName);
    if (this.#originOf(manifestWorkName).wds === undefined)
      this.#mute.set(uid, unknownOrigin(manifestWorkName));
    for (const { returned, ...object } of this.#waiting.values())
      if (object.owners.includes(uid)) this.#report(object, { returned, again: false });
  }

  #reflectObject(resource: Resource, reflection: Reflection): void {
    if (reflection.type === 'synced') return;
    const owners = reflection.type === 'deleted' ? [] : owningWorks(reflection.object);
    const owned = { resource, key: reflection.key, owners };
    if (reflection.type === 'deleted' || owners.length === 0) this.#forget(owned);
    else
      this.#report(owned, {
        returned: returnedObject(reflection.object),
        again: this.#deps.isResyncing(),
      });
  }

  #forget({ resource, key }: OwnedObject): void {
    const digestKey = digestKeyOf(resource, key);
    this.#waiting.delete(digestKey);
    this.#remove(resource, key, this.#reportedWdses.get(digestKey) ?? []);
    this.#reportedWdses.delete(digestKey);
  }

  #report(
    object: OwnedObject,
    { returned, again }: { readonly returned: ReturnedObject; readonly again: boolean },
  ): void {
    const { resource, key, owners } = object;
    const digestKey = digestKeyOf(resource, key);
    const names = owners.flatMap((uid) => this.#names.get(uid) ?? []);
    if (names.length < owners.length) this.#waiting.set(digestKey, { ...object, returned });
    else this.#waiting.delete(digestKey);
    const origins = names.map((name) => this.#originOf(name));
    const wdses = [...new Set(origins.flatMap(({ wds }) => wds ?? []))];
    const before = this.#reportedWdses.get(digestKey) ?? [];
    this.#remove(
      resource,
      key,
      before.filter((wds) => !wdses.includes(wds)),
    );
    if (wdses.length === 0) this.#reportedWdses.delete(digestKey);
    else this.#reportedWdses.set(digestKey, wdses);
    const subject = subjectOf(resource, key);
    for (const wds of wdses) {
      // If two works own the object one after the other, the first one has created it. An annotation takes precedence.
      const sourceUid = origins.find((origin) => origin.wds === wds)?.uid;
      const reported = { ...(sourceUid === undefined ? {} : { sourceUid }), ...returned };
      this.digests.upsert(
        `${wds} ${digestKey}`,
        { type: 'wec-object', wds, subject, returned: reported },
        { compared: { ...reported }, again },
      );
    }
  }

  #remove(resource: Resource, key: string, wdses: readonly string[]): void {
    const subject = subjectOf(resource, key);
    for (const wds of wdses)
      this.digests.remove(`${wds} ${groupResource(resource)}/${key}`, {
        type: 'wec-object',
        wds,
        subject,
      });
  }
}
