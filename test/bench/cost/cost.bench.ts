import type { Figure } from '#test/bench/figure.ts';
import { type DeployedFunction, readDeployment, varied } from './deployment.ts';
import { ANSWER_MS, notifications } from './notifications.ts';
import { MONTH_HOURS } from './prices.ts';
import { readsOfApi } from './reads.ts';
import {
  assumptionsText,
  countText,
  heartbeatText,
  idleText,
  outcomeText,
  perMillion,
  readsText,
  readText,
  variantsText,
} from './report.ts';
import {
  counts,
  exponentOf,
  idle,
  oneWorkload,
  type ReadsPerEvent,
  rollout,
  trickle,
} from './scenarios.ts';

const SECTION = 'Cost on AWS (list prices, counted use)';
const SIZES = [100, 300, 1_000, 3_000, 10_000];
/** Design, section 10. */
const GOAL_USD = 1.5;
const GOAL_EXPONENT = 0.6;
const HEARTBEATS_SECONDS = [30, 60, 120];
const ROLLOUT_CHANGES = 10;
/** Of a rollout's ten changes so many are played for each variant: enough to compare them with each other. */
const VARIANT_CHANGES = 2;
/** Numbers of record-events to compare: fewer hands, as delivered, more hands, a shorter window. */
const VARIANTS: readonly Partial<DeployedFunction>[] = [
  { windowMs: 2_000, concurrency: 2 },
  {},
  { windowMs: 2_000, concurrency: 5 },
  { windowMs: 1_000, concurrency: 20 },
];
const TRICKLE_MINUTES = 10;
/** Workload objects of a WDS. */
const COUNTED = [100, 1_000];
/** Receivers of a change. */
const NOTIFIED = [0, 1, 3];
const IDLE_MINUTES = 10;
const IDLE_MINUTES_LARGE = 2;

type Print = (text: string) => void;

async function costOfRollout(print: Print): Promise<Figure> {
  const outcome = await rollout(ROLLOUT_CHANGES);
  print(
    outcomeText(
      `(a) Rollout: 100 workloads x 100 WECs, ${ROLLOUT_CHANGES} changes each in a minute, all of them played`,
      outcome,
    ),
  );
  return {
    section: SECTION,
    what: '(a) rollout, a million changes',
    value: perMillion(outcome),
    unit: 'USD',
    goal: { type: 'at most', value: GOAL_USD },
  };
}

async function compareVariants(print: Print): Promise<void> {
  const delivered = readDeployment();
  const lines = [];
  for (const numbers of VARIANTS) {
    const variant = { 'record-events': numbers };
    const deployed = varied(delivered, variant).functions['record-events'];
    lines.push({ deployed, outcome: await rollout(VARIANT_CHANGES, variant) });
  }
  const played = `${VARIANT_CHANGES} of the ${ROLLOUT_CHANGES} changes played`;
  print(variantsText(lines, delivered.functions['record-events'], played));
}

async function costOfTrickle(print: Print): Promise<Figure> {
  const outcome = await trickle(TRICKLE_MINUTES);
  print(
    outcomeText(
      `(b) One change per workload and minute: 100 workloads, 100 WECs, ${TRICKLE_MINUTES} minutes`,
      outcome,
    ),
  );
  const value = perMillion(outcome);
  const month = (outcome.bill.usd() / TRICKLE_MINUTES) * 60 * MONTH_HOURS;
  print(
    `  a month of it, heartbeats apart: ${month.toFixed(2)} USD. Nothing is shared: a change that comes alone pays for a whole chain, an invocation of each function and a fold of all rows of its workload.\n`,
  );
  return { section: SECTION, what: '(b) single changes, a million', value, unit: 'USD' };
}

async function costOfSizes(print: Print): Promise<readonly Figure[]> {
  const reads: ReadsPerEvent[] = [];
  const figures: Figure[] = [];
  for (const wecs of SIZES) {
    const { reads: read, outcome } = await oneWorkload(wecs, wecs === SIZES.at(-1));
    reads.push(read);
    if (outcome === undefined) continue;
    print(
      outcomeText('(c) One workload on 10,000 WECs, each changes once within a minute', outcome),
    );
    const what = '(c) a workload on 10,000 WECs, a million';
    figures.push({ section: SECTION, what, value: perMillion(outcome), unit: 'USD' });
  }
  return [...figures, ...growth(reads, print)];
}

function growth(reads: readonly ReadsPerEvent[], print: Print): readonly Figure[] {
  // A small workload is read whole, which would flatter the exponent of those that are not.
  const sharded = reads.filter(({ wecs, items: read }) => read < wecs);
  const items = exponentOf(sharded.map((one) => [one.wecs, one.items]));
  const units = exponentOf(sharded.map((one) => [one.wecs, one.units]));
  print(readsText(reads, { items, units }));
  const grows = {
    section: SECTION,
    unit: '',
    goal: { type: 'at most', value: GOAL_EXPONENT },
    beside: '0.5 is the square root, 1 the number of WECs',
  } as const;
  return [
    { ...grows, what: 'exponent of rows and parts read by an event', value: items },
    { ...grows, what: 'exponent of read units of an event', value: units },
  ];
}

async function costOfIdling(print: Print): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const lines = [];
  for (const [wecs, minutes] of [
    [100, IDLE_MINUTES],
    [10_000, IDLE_MINUTES_LARGE],
  ] as const)
    for (const seconds of HEARTBEATS_SECONDS) {
      const outcome = await idle(wecs, seconds, minutes);
      const title = `${wecs.toLocaleString('en-US')} WECs, a heartbeat each ${seconds} s`;
      lines.push({ title, outcome });
      if (seconds !== HEARTBEATS_SECONDS[0]) continue;
      print(idleText(`(d) An idle month: ${title}, ${minutes} minutes played`, outcome));
      const what = `(d) idle for a month, ${title}`;
      figures.push({ section: SECTION, what, value: outcome.bill.usd(), unit: 'USD' });
    }
  print(heartbeatText(lines));
  return figures;
}

async function costOfCounts(print: Print): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const workloads of COUNTED) {
    const outcome = await counts(workloads);
    const title = `${workloads.toLocaleString('en-US')} workload objects counted every 5 minutes`;
    // All objects of the scenario have one resource and one verdict.
    print(countText(`(f) A month with workloadMetrics: ${title}`, outcome, 1));
    figures.push({
      section: SECTION,
      what: `(f) ${title}, a month without its series`,
      value: outcome.bill.usd(),
      unit: 'USD',
    });
  }
  return figures;
}

async function costOfReads(print: Print): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [what, outcome] of await readsOfApi()) {
    print(readText(`(e) The API status.starfold.dev: ${what} of 10,000 rows`, outcome));
    const value = perMillion(outcome);
    figures.push({
      section: SECTION,
      what: `(e) ${what} by the API, a million`,
      value,
      unit: 'USD',
    });
  }
  return figures;
}

async function costOfNotifications(print: Print): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const receivers of NOTIFIED) {
    const outcome = await notifications(receivers);
    const title = `a change of which ${receivers === 1 ? 'one receiver is' : `${receivers} receivers are`} notified`;
    print(outcomeText(`(g) ${title}, each answers after ${ANSWER_MS} ms`, outcome));
    const value = perMillion(outcome);
    figures.push({ section: SECTION, what: `(g) ${title}, a million`, value, unit: 'USD' });
  }
  return figures;
}

/** What the system costs on AWS, from counted requests and units; figures depend on the code and not on the machine. */
export async function benchCost(): Promise<readonly Figure[]> {
  const print: Print = (text) => void process.stdout.write(text);
  print(assumptionsText());
  const ofRollout = await costOfRollout(print);
  await compareVariants(print);
  return [
    ofRollout,
    await costOfTrickle(print),
    ...(await costOfSizes(print)),
    ...(await costOfIdling(print)),
    ...(await costOfReads(print)),
    ...(await costOfCounts(print)),
    ...(await costOfNotifications(print)),
  ];
}
