import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import { condition, counts } from '#test/fixtures/wec-rows.ts';
import { status, WEB } from '#test/unit/api/ask.ts';

const MESSAGES = {
  Degraded: 'Deployment "web" exceeded its progress deadline',
  Progressing: 'Waiting for rollout to finish: 1 of 3 updated replicas are available...',
} as const;

function of(wec: string, available: number, more: Partial<WecStatus>): WecStatus {
  return status(WEB, wec, {
    ready: `${available}/3`,
    lastUpdate: '2026-11-25T09:58:00Z',
    lastContact: '2026-11-25T09:59:50Z',
    status: { ...counts(3, [3, available, available]), observedGeneration: 7 },
    ...more,
  });
}

/** A WEC in which the Deployment is Healthy. */
export function healthy(wec: string, more: Partial<WecStatus> = {}): WecStatus {
  return of(wec, 3, more);
}

/** A WEC in which the Deployment still rolls out. */
export function progressing(wec: string): WecStatus {
  return of(wec, 1, { health: { status: 'Progressing', message: MESSAGES.Progressing } });
}

/** A WEC in which the Deployment has exceeded its deadline. */
export function degraded(wec: string, message: string = MESSAGES.Degraded): WecStatus {
  const failed = condition('Progressing', ['False', 'ProgressDeadlineExceeded']);
  return of(wec, 1, {
    health: { status: 'Degraded', message },
    status: {
      ...counts(3, [1, 1, 1]),
      observedGeneration: 7,
      conditions: [{ ...failed, message }],
    },
  });
}

/** Eight WECs, of which one is Degraded. */
export function eight(): readonly WecStatus[] {
  return [
    ...[1, 3, 4, 5].map((number) => healthy(`edge-${number}`)),
    degraded('edge-2'),
    progressing('edge-6'),
    healthy('edge-7', { state: 'Silent' }),
    status(WEB, 'edge-8', {
      ...{ state: 'NotReported', health: { status: 'Missing' }, generation: {} },
      ...{ status: null, ready: '-' },
    }),
  ];
}
