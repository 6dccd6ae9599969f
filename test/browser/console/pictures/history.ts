import type { JsonObject } from '#shared/core/json.ts';
import {
  AGENT,
  BACKUP,
  CHECKOUT,
  deploymentStatus,
  MIGRATE,
  ORDERS,
  timeText,
  WEB,
  WECS,
  type Workload,
} from './objects.ts';

/** The time that the pictures show. */
export const NOW_MS = Date.parse('2026-11-22T17:42:00Z');
const MINUTE_MS = 60_000;

/** What a WEC says about an object from a step on. `undefined`: the object is gone. */
export interface Report {
  readonly workload: Workload;
  readonly wec: string;
  readonly status: JsonObject | undefined;
}

/** Something that happens. */
export interface Step {
  readonly atMs: number;
  readonly reports: readonly Report[];
  /** A WEC whose API server stops after the step. */
  readonly stops?: string;
}

function ago(minutes: number): number {
  return NOW_MS - minutes * MINUTE_MS;
}

function wecsOf(region: string, [from, to]: readonly [number, number]): readonly string[] {
  return [...WECS.keys()].filter((wec) => wec.startsWith(`${region}-0`)).slice(from - 1, to);
}

function reports(
  workload: Workload,
  wecs: readonly string[],
  status: JsonObject | undefined,
): readonly Report[] {
  return wecs.map((wec) => ({ workload, wec, status }));
}

const FAILED: JsonObject = {
  ...{ failed: 7, ready: 0, terminating: 0, startTime: '2026-11-22T16:30:00Z' },
  conditions: ['FailureTarget', 'Failed'].map((type) => ({
    ...{ type, status: 'True', reason: 'BackoffLimitExceeded' },
    message: 'Job has reached the specified backoff limit',
    lastTransitionTime: timeText(ago(70)),
  })),
};

/** Somebody has paused it in some WECs. */
const PAUSED_BACKUP: Workload = { ...BACKUP, spec: { ...BACKUP.spec, paused: true } };
const PAUSED: JsonObject = {
  ...BACKUP.done,
  conditions: [
    {
      ...{ type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused' },
      ...{ message: 'Deployment is paused', lastTransitionTime: timeText(ago(72 * 60)) },
    },
  ],
};

/** The WEC that holds the rollout of shop/web up. */
export const CULPRIT = 'eu-west-003';
const SILENT = 'ap-south-004';

/**
 * A new image of shop/web is rolled out to 40 WECs. One WEC exceeds the deadline of the rollout, one WEC falls silent, and other
 * objects have other troubles. Each step begins when the step before is on the screen.
 */
export const HISTORY: readonly Step[] = [
  {
    atMs: ago(14),
    reports: [
      ...reports(WEB, [CULPRIT], deploymentStatus(WEB, { ready: 4, updated: 10 })),
      ...reports(
        WEB,
        wecsOf('us-west', [1, 5]),
        deploymentStatus(WEB, { ready: 7, updated: 7, observed: 11 }),
      ),
      ...reports(WEB, wecsOf('us-east', [4, 6]), deploymentStatus(WEB, { ready: 8, updated: 9 })),
      ...reports(MIGRATE, ['eu-north-002', 'us-east-007'], FAILED),
      ...reports(PAUSED_BACKUP, wecsOf('ap-south', [1, 5]), PAUSED),
    ],
    stops: SILENT,
  },
  {
    atMs: ago(10),
    reports: reports(
      WEB,
      [CULPRIT],
      deploymentStatus(WEB, { ready: 4, updated: 10, exceeded: true }),
    ),
  },
  { atMs: ago(3), reports: reports(CHECKOUT, ['us-east-002'], undefined) },
  {
    atMs: ago(0.75),
    reports: [
      ...reports(ORDERS, ['eu-west-008'], {
        ...ORDERS.done,
        readyReplicas: 2,
        availableReplicas: 2,
      }),
      ...reports(AGENT, wecsOf('us-west', [1, 5]), {
        ...{ ...AGENT.done, updatedNumberScheduled: 9, numberReady: 11, numberAvailable: 11 },
        numberUnavailable: 1,
      }),
    ],
  },
];
