import { type ArgoCdStatus, worst } from '#shared/core/health/verdict.ts';
import { Random } from '#test/simulation/scheduler.ts';
import { OutageWorld, type Rollout, type Sent } from './outage-world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SWEEP_MS = MINUTE;
const BEAT_MS = 30 * SECOND;
/** What a verdict may be late after the limit. */
const SLACK_MS = 60 * SECOND;
const SILENCE_MS = 5 * MINUTE;

const TIMES: Readonly<Record<string, number>> = {
  '': Number.POSITIVE_INFINITY,
  '1m30s': 90 * SECOND,
  '3m': 3 * MINUTE,
  '10m': 10 * MINUTE,
};
const WECS = ['w1', 'w2', 'w3', 'w4', 'w5'];

/**
 * How a forwarder is out: it says nothing at all; or it watches only some of what it needs, so it reports objects and sends no
 * heartbeat. And how it comes back: it tells everything, or only goes on with its heartbeats.
 */
interface Outage {
  readonly untilMs: number;
  readonly half: boolean;
  readonly tellsAll: boolean;
}

/** A WEC as it is. */
interface Wec {
  readonly name: string;
  outage: Outage | undefined;
  beatMs: number;
  /** When the next heartbeat, the next report, and the next outage come. */
  nextBeatMs: number;
  nextReportMs: number;
  nextOutageMs: number;
  /** When it last came back. */
  backMs: number;
}

/** What a WEC has last said of a Deployment. */
interface Said {
  readonly rollout: Rollout;
  readonly atMs: number;
}

/** What a verdict is compared with. */
interface Facts {
  /** The verdict without outages. */
  readonly without: ArgoCdStatus;
  /** For how long the WEC that has been silent for longest has been silent beyond the limit; 0 or less: it has not. */
  readonly lateMs: number;
  /** Whether a WEC has come back, and no sweep has looked since. */
  readonly isFresh: boolean;
}

/** What became of some outages. */
export interface Outcome {
  readonly outages: number;
  /** Verdicts that were compared. */
  readonly verdicts: number;
  /** How many of them were Healthy without the outage, and not with it. */
  readonly withheld: number;
  /** The latest that a verdict has ceased to be Healthy after its limit, in milliseconds. */
  readonly latestMs: number;
  /** What was wrong, in words. */
  readonly wrong: readonly string[];
}

class History {
  outages = 0;
  verdicts = 0;
  withheld = 0;
  latestMs = 0;
  readonly wrong: string[] = [];
  readonly #random: Random;
  readonly #world: OutageWorld;
  readonly #wecs: readonly Wec[];
  readonly #sent: readonly Sent[];
  readonly #said = new Map<string, Said>();
  #sweepMs = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#world = new OutageWorld(seed % 2 === 0 ? 128 : 2);
    const { now } = this.#world;
    const later = (ms: number): number => now + this.#random.below(ms);
    this.#wecs = WECS.map((name) => ({
      ...{ name, outage: undefined, beatMs: now, backMs: 0 },
      nextBeatMs: later(BEAT_MS),
      nextReportMs: later(2 * MINUTE),
      nextOutageMs: later(6 * MINUTE),
    }));
    const time = (): string => this.#random.pick([' ', ...Object.keys(TIMES).slice(1)]).trim();
    this.#sent = ['a', 'b', 'c'].map((name) => ({
      name,
      wecs: WECS.filter(() => this.#random.chance(0.7)),
      silentAfter: { object: time(), binding: time(), policy: time() },
    }));
    this.#sweepMs = later(SWEEP_MS);
  }

  /** The time of an object: its own, or else its Binding's, or else its policy's. */
  #limitMs({ silentAfter: { object, binding, policy } }: Sent): number {
    return TIMES[object || binding || policy] ?? 0;
  }

  #rollout(): Rollout {
    return {
      ready: this.#random.chance(0.85) ? 3 : this.#random.below(3),
      failed: this.#random.chance(0.03),
    };
  }

  async #report(wec: Wec, { name }: Sent, rollout: Rollout): Promise<void> {
    this.#said.set(`${wec.name} ${name}`, { rollout, atMs: this.#world.now });
    await this.#world.report(wec.name, name, rollout);
  }

  async #beat(wec: Wec): Promise<void> {
    wec.beatMs = this.#world.now;
    wec.nextBeatMs = this.#world.now + BEAT_MS;
    await this.#world.beat(wec.name);
  }

  #of(wec: Wec): readonly Sent[] {
    return this.#sent.filter(({ wecs }) => wecs.includes(wec.name));
  }

  async begin(): Promise<void> {
    await this.#world.beginWds();
    for (const sent of this.#sent) await this.#world.send(sent);
    for (const wec of this.#wecs) {
      for (const sent of this.#of(wec)) await this.#report(wec, sent, this.#rollout());
      await this.#beat(wec);
    }
  }

  #goOut(wec: Wec): void {
    const random = this.#random;
    this.outages += 1;
    wec.outage = {
      untilMs: this.#world.now + random.below(random.pick([3, 6, 14]) * MINUTE),
      half: random.chance(0.2),
      tellsAll: random.chance(0.5),
    };
  }

  async #comeBack(wec: Wec, { tellsAll }: Outage): Promise<void> {
    const { now } = this.#world;
    wec.outage = undefined;
    wec.backMs = now;
    wec.nextOutageMs = now + MINUTE + this.#random.below(5 * MINUTE);
    const of = this.#of(wec);
    // What was said before is true still, or something else is.
    const told = tellsAll ? of : of.slice(0, this.#random.below(2));
    for (const sent of told) {
      const said = this.#said.get(`${wec.name} ${sent.name}`)?.rollout;
      await this.#report(
        wec,
        sent,
        said === undefined || this.#random.chance(0.3) ? this.#rollout() : said,
      );
      // It counts at once, and waits for no sweep.
      await this.#check(sent, wec);
    }
    await this.#beat(wec);
  }

  /** What happens next, and when. */
  #next(): { readonly atMs: number; readonly run: () => Promise<void> } {
    const due = this.#wecs.flatMap((wec) => {
      const { outage } = wec;
      const reports = { atMs: wec.nextReportMs, run: () => this.#reportOne(wec) };
      if (outage !== undefined) {
        const back = { atMs: outage.untilMs, run: () => this.#comeBack(wec, outage) };
        return outage.half ? [back, reports] : [back];
      }
      return [
        reports,
        { atMs: wec.nextBeatMs, run: () => this.#beat(wec) },
        { atMs: wec.nextOutageMs, run: async () => this.#goOut(wec) },
      ];
    });
    const all = [...due, { atMs: this.#sweepMs, run: () => this.#sweep() }];
    return all.reduce((first, one) => (one.atMs < first.atMs ? one : first));
  }

  async #reportOne(wec: Wec): Promise<void> {
    wec.nextReportMs = this.#world.now + this.#random.below(3 * MINUTE);
    const of = this.#of(wec);
    if (of.length === 0) return;
    const sent = this.#random.pick(of);
    await this.#report(wec, sent, this.#rollout());
    await this.#check(sent);
  }

  async #sweep(): Promise<void> {
    this.#sweepMs += SWEEP_MS;
    await this.#world.sweep();
    for (const sent of this.#sent) {
      await this.#check(sent);
      await this.#checkCondition(sent);
    }
  }

  /** How long a WEC has said nothing, with which a Deployment has to do. */
  #silentMs(wec: Wec, { name }: Sent): number {
    const atMs = this.#said.get(`${wec.name} ${name}`)?.atMs ?? 0;
    return this.#world.now - Math.max(wec.beatMs, atMs);
  }

  /** The verdict without outages: the worst of what the WECs have last said. */
  #without(sent: Sent): ArgoCdStatus {
    const said = sent.wecs.map((wec) => this.#said.get(`${wec} ${sent.name}`)?.rollout);
    return worst(
      said.map((one) => (one === undefined ? 'Progressing' : this.#world.verdictIn(one))),
    );
  }

  /** What is wrong with a verdict while a WEC has been silent for too long: it may be another one, but not Healthy. */
  #faultLate(verdict: ArgoCdStatus, { lateMs, without }: Facts): string | undefined {
    if (verdict !== without) this.withheld += 1;
    if (verdict !== 'Healthy') return undefined;
    this.latestMs = Math.max(this.latestMs, lateMs);
    return lateMs > SLACK_MS ? 'too late, without outages' : undefined;
  }

  /** What is wrong with a verdict while no WEC has been silent for too long. */
  #fault(verdict: ArgoCdStatus, { without, isFresh }: Facts): string | undefined {
    return verdict === without || isFresh ? undefined : 'and without outages';
  }

  /** @param back a WEC that has just come back with this Deployment */
  async #check(sent: Sent, back?: Wec): Promise<void> {
    const { now } = this.#world;
    const wecs = this.#wecs.filter(({ name }) => sent.wecs.includes(name));
    if (wecs.length === 0) return;
    const silences = wecs.map((wec) => this.#silentMs(wec, sent));
    const facts: Facts = {
      without: this.#without(sent),
      lateMs: Math.max(...silences) - this.#limitMs(sent),
      // Who has come back with a heartbeat alone counts again from the next sweep on.
      isFresh: wecs.some(
        (wec) => wec !== back && wec.outage === undefined && now - wec.backMs < SWEEP_MS,
      ),
    };
    this.verdicts += 1;
    const verdict = await this.#world.verdict(sent.name);
    const isLate = facts.lateMs > 0;
    const fault = isLate ? this.#faultLate(verdict, facts) : this.#fault(verdict, facts);
    if (fault === undefined) return;
    const what = `${sent.name} is ${verdict}, ${fault} ${facts.without}`;
    this.wrong.push(`${what}; late ${facts.lateMs}, at ${now}, silent ${silences}`);
  }

  async #checkCondition(sent: Sent): Promise<void> {
    const { binding, policy } = sent.silentAfter;
    const silenceMs = Math.min(SILENCE_MS, TIMES[binding || policy] ?? 0);
    const wanted = this.#wecs
      .filter(
        ({ name, beatMs }) => sent.wecs.includes(name) && this.#world.now - beatMs > silenceMs,
      )
      .map(({ name }) => name);
    const named = await this.#world.notReporting(sent.name);
    if (String(named) !== String(wanted))
      this.wrong.push(`Binding ${sent.name} names [${named}], not [${wanted}]`);
  }

  async step(): Promise<void> {
    const { atMs, run } = this.#next();
    this.#world.now = Math.max(this.#world.now, atMs);
    await run();
  }
}

/**
 * Plays outages of WECs: forwarders fall silent and come back at random times, Deployments with and without
 * `starfold.dev/silent-after` go to them, a sweep runs each minute. No verdict in the WDS is Healthy later than its limit and 60
 * seconds after a WEC was last heard of; while no WEC is silent for too long, none is worse than what the WECs have last said, as
 * if there had been no outage; and each Binding names the WECs that are silent, and no other.
 */
export async function playOutages(seed: number, outages: number): Promise<Outcome> {
  const history = new History(seed);
  await history.begin();
  while (history.outages < outages && history.wrong.length === 0) await history.step();
  return history;
}
