import type { EventSource, ReturnedObject } from '#shared/core/event.ts';
import { resourceName } from '#shared/core/resource-name.ts';
import { isSourceName } from '#shared/events/names.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import type { Ledger } from './ledger.ts';
import type { Reflection } from './reflection.ts';
import { returnedObject } from './returned-object.ts';
import { isReturned, oneVersionOfEach } from './returned-resources.ts';
import { shownProblems } from './shown-problems.ts';
import {
  groupResource,
  ledgerKey,
  Reflectors,
  type Source,
  type SourceDeps,
  subjectOf,
  untilAborted,
} from './source.ts';
import {
  APPLIED_WORKS,
  type AppliedWork,
  owningWorks,
  parseAppliedWork,
  wdsOfWork,
} from './work-origin.ts';

/** Objects of a WEC that OCM's agent has applied. */
export interface WorkSelection {
  readonly appliedManifestWorks: true;
  /** The WDS of works whose name does not tell; absent: what they have applied is not told of. */
  readonly wds?: string;
}

/** An object that stands in the WEC and that a work owns. */
interface OwnedObject {
  readonly resource: Resource;
  /** The reflector's key: `<namespace>/<name>`. */
  readonly key: string;
  readonly owners: readonly string[];
}

function resourcesText(work: AppliedWork | undefined): string {
  return (work?.resources ?? []).map(resourceName).join(' ');
}

/**
 * A workload execution cluster in which OCM's agent applies ManifestWorks, KubeStellar's or others: every object that an
 * AppliedManifestWork owns. Their resources are followed while a work has applied some of them (design, section 7).
 */
export class WorkSource implements Source {
  readonly #deps: SourceDeps;
  readonly #self: EventSource;
  readonly #defaultWds: string | undefined;
  readonly #ledger: Ledger;
  readonly #works: Reflectors;
  readonly #objects: Reflectors;
  /** By the reflector's key. */
  readonly #applied = new Map<string, AppliedWork>();
  /** The name of each work's ManifestWork, by the uid of the AppliedManifestWork. */
  readonly #names = new Map<string, string>();
  /** Those of which nothing is told, by uid. */
  readonly #mute = new Map<string, string>();
  /** The WDSes for which an object is told, by its ledger key. */
  readonly #told = new Map<string, readonly string[]>();
  /** Objects whose owner has not been seen yet, by ledger key, with what is to be told of them. */
  readonly #waiting = new Map<string, OwnedObject & { readonly returned: ReturnedObject }>();
  #worksKnown = false;

  constructor(deps: SourceDeps, name: string, { wds }: WorkSelection) {
    this.#deps = deps;
    this.#self = { type: 'wec', name };
    this.#defaultWds = wds;
    this.#ledger = deps.ledgerOf(this.#self);
    this.#works = new Reflectors(deps, (_resource, reflection) => this.#reflectWork(reflection));
    this.#objects = new Reflectors(deps, (resource, reflection) =>
      this.#reflectObject(resource, reflection),
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#works.follow(APPLIED_WORKS);
    await untilAborted(signal);
    await Promise.all([this.#works.stop(), this.#objects.stop()]);
  }

  complete(): boolean {
    return this.#worksKnown && this.#works.synced() && this.#objects.synced();
  }

  relist(): void {
    this.#works.relist();
    this.#objects.relist();
  }

  isBlind(): boolean {
    return this.#works.blind();
  }

  alive(): readonly EventSource[] {
    return [this.#self];
  }

  states(): ReturnType<Source['states']> {
    return new Map([...this.#works.states(), ...this.#objects.states()]);
  }

  problems(): readonly string[] {
    const texts = [...this.#mute.values()].map(
      (work) =>
        `ManifestWork ${work}: its name does not tell the WDS, so nothing of it is told: set source.wds`,
    );
    return shownProblems(texts, 'ManifestWorks');
  }

  #wdsOf(manifestWorkName: string): string | undefined {
    const named = wdsOfWork(manifestWorkName);
    return named !== undefined && isSourceName(named) ? named : this.#defaultWds;
  }

  #reflectWork(reflection: Reflection): void {
    if (reflection.type === 'synced') {
      this.#worksKnown = true;
      this.#followApplied();
      return;
    }
    const before = this.#applied.get(reflection.key);
    const work = reflection.type === 'deleted' ? undefined : parseAppliedWork(reflection.object);
    if (work === undefined) this.#applied.delete(reflection.key);
    else this.#applied.set(reflection.key, work);
    if (before !== undefined && before.uid !== work?.uid) this.#forgetOwner(before);
    if (work !== undefined && !this.#names.has(work.uid)) this.#meetOwner(work);
    const isSame = resourcesText(before) === resourcesText(work);
    if (this.#worksKnown && !isSame) this.#followApplied();
  }

  #forgetOwner({ uid }: AppliedWork): void {
    this.#names.delete(uid);
    this.#mute.delete(uid);
  }

  #meetOwner({ uid, manifestWorkName }: AppliedWork): void {
    this.#names.set(uid, manifestWorkName);
    if (this.#wdsOf(manifestWorkName) === undefined) this.#mute.set(uid, manifestWorkName);
    for (const { returned, ...object } of this.#waiting.values())
      if (object.owners.includes(uid)) this.#tell(object, { returned, again: false });
  }

  #followApplied(): void {
    const applied = [...this.#applied.values()].flatMap(({ resources }) => resources);
    const wanted = oneVersionOfEach(applied.filter(isReturned), this.#objects.resources());
    this.#objects.followExactly(wanted, { optional: true });
    this.#deps.onProgress();
  }

  #reflectObject(resource: Resource, reflection: Reflection): void {
    if (reflection.type === 'synced') return;
    const owners = reflection.type === 'deleted' ? [] : owningWorks(reflection.object);
    const owned = { resource, key: reflection.key, owners };
    if (reflection.type === 'deleted' || owners.length === 0) this.#forget(owned);
    else
      this.#tell(owned, {
        returned: returnedObject(reflection.object),
        again: this.#deps.isResyncing(),
      });
  }

  #forget({ resource, key }: OwnedObject): void {
    const ledger = ledgerKey(resource, key);
    this.#waiting.delete(ledger);
    this.#fall(resource, key, this.#told.get(ledger) ?? []);
    this.#told.delete(ledger);
  }

  #tell(
    object: OwnedObject,
    { returned, again }: { readonly returned: ReturnedObject; readonly again: boolean },
  ): void {
    const { resource, key, owners } = object;
    const ledger = ledgerKey(resource, key);
    const names = owners.flatMap((uid) => this.#names.get(uid) ?? []);
    if (names.length < owners.length) this.#waiting.set(ledger, { ...object, returned });
    else this.#waiting.delete(ledger);
    const wdses = [...new Set(names.flatMap((name) => this.#wdsOf(name) ?? []))];
    const before = this.#told.get(ledger) ?? [];
    this.#fall(
      resource,
      key,
      before.filter((wds) => !wdses.includes(wds)),
    );
    if (wdses.length === 0) this.#told.delete(ledger);
    else this.#told.set(ledger, wdses);
    const subject = subjectOf(resource, key);
    for (const wds of wdses)
      this.#ledger.stand(
        `${wds} ${ledger}`,
        { type: 'wec-object', wds, subject, returned },
        { compared: { ...returned }, again },
      );
  }

  #fall(resource: Resource, key: string, wdses: readonly string[]): void {
    const subject = subjectOf(resource, key);
    for (const wds of wdses)
      this.#ledger.fall(`${wds} ${groupResource(resource)}/${key}`, {
        type: 'wec-object',
        wds,
        subject,
      });
  }
}
