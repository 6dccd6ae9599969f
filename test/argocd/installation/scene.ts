import { vi } from 'vitest';
import { type ArgoCdStatus, worst } from '#shared/core/health/verdict.ts';
import { at, isObject, type JsonObject } from '#shared/core/json.ts';
import { apply, type Cluster, read, setStatus } from '#test/e2e/clusters.ts';
import { bindingOf, controlRef } from '#test/e2e/controls.ts';
import type { Manifest } from '#test/e2e/workloads.ts';
import { Applications } from './applications.ts';
import { quiet, writesIn } from './audit.ts';
import { type Circumstances, expectedOf } from './expected.ts';
import { DELIVERED, MAIN } from './repository.ts';
import { kindOf } from './shop.ts';
import { starfoldHealth, type VerdictsByCluster } from './starfold-health.ts';
import { type State, statusOf } from './statuses.ts';
import type { World } from './world.ts';
import { WECS } from './world-plan.ts';

/** The Application, of which the Binding sends the objects to the WECs. */
const SHOP = 'shop';
const BINDING = controlRef('bindings', SHOP);
/** `https://kubernetes.default.svc` is the cluster that Argo CD runs in. */
const OWN_CLUSTER = 'https://kubernetes.default.svc';

const PATIENCE = { timeout: 60_000, interval: 250 };

/** The Application of what is in a WEC. */
function nameIn({ name }: Pick<Cluster, 'name'>): string {
  return `${SHOP}-${name}`;
}

/** A Job cannot be unfinished: in real clusters, too, a finished one stays as it is. */
function isFinished(object: JsonObject): boolean {
  return at(object, 'status', 'completionTime') !== undefined;
}

/** What Argo CD says of the WDS, and what it should say. */
export interface Judged {
  readonly application: string;
  readonly sync: string;
  readonly resources: Readonly<Record<string, ArgoCdStatus | undefined>>;
}

/**
 * One application in the WDS and, as Applications of their own, in each WEC; and a Binding that sends the objects of the
 * WDS to the WECs.
 */
export class Scene {
  readonly applications: Applications;
  readonly #world: World;
  #release: readonly Manifest[] = [];
  #inWds = '';
  #inWecs = '';

  constructor(world: World) {
    this.#world = world;
    this.applications = new Applications(world.wds);
  }

  get wds(): Cluster {
    return this.#world.wds;
  }

  get wecs(): readonly Cluster[] {
    return this.#world.wecs;
  }

  /**
   * The first release, in the WDS and then in the WECs, as a transport delivers it: no object of a WEC is older than that of
   * the WDS. From now on the Application may not be out of sync.
   */
  async begin(release: readonly Manifest[]): Promise<void> {
    await this.announce(release);
    await this.applications.synced(SHOP, this.#inWds);
    await this.deliver();
    await this.applications.follow(SHOP);
  }

  /** Puts a release into the WDS alone, as far as nothing keeps Argo CD from syncing it. */
  async announce(release: readonly Manifest[]): Promise<void> {
    const { repository } = this.#world;
    this.#release = release;
    this.#inWds = await repository.commit(release);
    await this.applications.put({
      name: SHOP,
      repository: repository.folder,
      branch: MAIN,
      server: OWN_CLUSTER,
      selfHeal: true,
    });
  }

  /** Puts a release into the WDS alone. What of the Application is then out of sync is Argo CD's own work. */
  async release(release: readonly Manifest[]): Promise<void> {
    await this.announce(release);
    await this.applications.synced(SHOP, this.#inWds);
    this.applications.outOfSync();
  }

  /** Puts what is in the WDS into the WECs, as far as nothing keeps Argo CD from syncing it. */
  async send(): Promise<void> {
    const { repository, wecs } = this.#world;
    this.#inWecs = await repository.deliver();
    for (const wec of wecs)
      await this.applications.put({
        name: nameIn(wec),
        repository: repository.folder,
        branch: DELIVERED,
        server: wec.server,
        selfHeal: false,
      });
  }

  /** Puts what is in the WDS into the WECs. */
  async deliver(): Promise<void> {
    await this.send();
    await this.synced();
  }

  /** Waits until Argo CD has synced what is in the WDS and what has been delivered. */
  async synced(): Promise<void> {
    await this.applications.synced(SHOP, this.#inWds);
    for (const wec of this.#world.wecs) await this.applications.synced(nameIn(wec), this.#inWecs);
  }

  /** Sends all objects of the release to the WECs, and to other destinations. */
  async bind(others: readonly string[] = []): Promise<void> {
    const modulation = { wantMultiWECReportedState: true };
    const objects = this.#release.map(({ ref }) => [ref, modulation] as const);
    const destinations = [...WECS, ...others];
    await apply(this.wds, BINDING, bindingOf({ name: SHOP, destinations, objects }));
  }

  /** Lets the controllers of a WEC say this of everything. */
  async report(name: string, state: State): Promise<void> {
    const index = this.#world.wecs.findIndex((wec) => wec.name === name);
    const wec = this.#world.wecs[index];
    if (wec === undefined) throw new RangeError(`no WEC ${name}`);
    for (const manifest of this.#release) {
      const object = await read(wec, manifest.ref);
      if (object === undefined || isFinished(object)) continue;
      const generation = Number(at(object, 'metadata', 'generation') ?? 1);
      const status = statusOf(kindOf(manifest), state, { generation, wec: index + 1 });
      // When a Job has begun cannot be said anew.
      const startTime = at(object, 'status', 'startTime');
      const begun = startTime === undefined ? {} : { startTime };
      await setStatus(wec, manifest.ref, { ...status, ...begun });
    }
  }

  /** Lets the controllers of all WECs say so. */
  async reportAll(state: State): Promise<void> {
    for (const wec of WECS) await this.report(wec, state);
  }

  /** What Argo CD says of the WDS. */
  async judged(): Promise<Judged> {
    const { health, sync, resources } = await this.applications.said(SHOP);
    const pairs = resources.map((one) => [`${one.kind} ${one.name}`, one.health]);
    return { application: health, sync, resources: Object.fromEntries(pairs) };
  }

  /** What Argo CD should say of the WDS: of each resource and of the Application the worst that it says of the WECs. */
  async expected(circumstances: Circumstances = {}): Promise<Judged> {
    const wecs = await Promise.all(
      WECS.map(async (wec) => (await this.applications.said(nameIn({ name: wec }))).resources),
    );
    const pairs = this.#release.map((manifest): readonly [string, ArgoCdStatus] => {
      const [kind, name] = [kindOf(manifest), manifest.ref.name];
      const verdicts = wecs.map(
        (resources) => resources.find((one) => one.kind === kind && one.name === name)?.health,
      );
      return [`${kind} ${name}`, expectedOf(kind, verdicts, circumstances)];
    });
    const application = worst(pairs.map(([, verdict]) => verdict));
    return { application, sync: 'Synced', resources: Object.fromEntries(pairs) };
  }

  /** What `starfold health` says of the objects as they are, by kind and name. */
  async starfoldSays(): Promise<ReadonlyMap<string, VerdictsByCluster>> {
    const { wds, wecs, folder } = this.#world;
    const all = async (cluster: Cluster): Promise<readonly JsonObject[]> =>
      (await Promise.all(this.#release.map(({ ref }) => read(cluster, ref)))).filter(isObject);
    const binding = await read(wds, BINDING);
    const ofWecs = await Promise.all(wecs.map(async (wec) => [wec.name, await all(wec)] as const));
    return starfoldHealth(folder, {
      wds: [...(await all(wds)), ...(binding === undefined ? [] : [binding])],
      wecs: new Map(ofWecs),
    });
  }

  /** What Argo CD says of each object of the release, in each cluster that has it, in the form of {@link starfoldSays}. */
  async argoCdSays(): Promise<ReadonlyMap<string, VerdictsByCluster>> {
    const clusters = [['wds', SHOP], ...WECS.map((wec) => [wec, nameIn({ name: wec })])] as const;
    const said = await Promise.all(
      clusters.map(async ([cluster = '', name = '']) => {
        const { resources } = await this.applications.said(name);
        return resources.map((one) => ({ ...one, cluster }));
      }),
    );
    return new Map(
      this.#release.map((manifest) => {
        const ofObject = said
          .flat()
          .filter((one) => one.kind === kindOf(manifest) && one.name === manifest.ref.name);
        const pairs = ofObject.map(({ cluster, health = '' }) => [cluster, health]);
        return [`${kindOf(manifest)} ${manifest.ref.name}`, Object.fromEntries(pairs)];
      }),
    );
  }

  /** Who has written in the WDS so far, besides this test. */
  async writers(): Promise<ReadonlySet<string>> {
    return new Set((await writesIn(this.#world.folder)).map(({ writer }) => writer));
  }

  /** Waits until something has come true, and then until neither Argo CD nor Starfold writes. */
  async settled(check: () => Promise<void>): Promise<void> {
    await vi.waitFor(check, PATIENCE);
    await quiet(this.#world.folder);
    await check();
  }
}
