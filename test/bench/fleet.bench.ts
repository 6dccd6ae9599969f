import { desiredFleet } from '#shared/core/desired/desired-fleet.ts';
import type { Figure } from './figure.ts';
import { fleetOf } from './fleet-objects.ts';

const SECTION = 'Fleet: a GitRepo with 50 Bundles, 3 resources each';
const BUNDLES = 50;
const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

/** What Fleet's own functions take for the GitRepo alone, in milliseconds, on a machine like the one of our CI. */
const FLEET_MS: Readonly<Record<number, number>> = { 50: 11, 1000: 299, 4000: 3498 };
/** etcd takes 1.5 MiB; managedFields and spec stand in the same object. */
const MAX_BYTES = 1024 * 1024;

interface Measured {
  readonly clusters: number;
  readonly ms: number;
  readonly statusBytes: number;
}

function measure(clusters: number): Measured {
  const objects = fleetOf(BUNDLES, clusters);
  const started = performance.now();
  const statuses = desiredFleet(objects, NOW_MS);
  const ms = performance.now() - started;
  const [gitRepo] = objects.filter(({ kind }) => kind === 'GitRepo');
  const fields = gitRepo && statuses.get(gitRepo)?.fields;
  return { clusters, ms, statusBytes: Buffer.byteLength(JSON.stringify(fields)) };
}

function figuresOf({ clusters, ms, statusBytes }: Measured): readonly Figure[] {
  const what = (text: string): string => `${clusters} clusters: ${text}`;
  return [
    {
      section: SECTION,
      what: what('all statuses, from the objects'),
      value: ms,
      unit: 'ms',
      beside: `${FLEET_MS[clusters] ?? '?'} ms: Fleet's own functions, the GitRepo alone, measured elsewhere`,
    },
    {
      section: SECTION,
      what: what("the GitRepo's status"),
      value: statusBytes / 1024,
      unit: 'KiB',
      goal: { type: 'at most', value: MAX_BYTES / 1024 },
      beside: '1,536 KiB: what etcd takes',
    },
  ];
}

/** How the statuses of Fleet grow: all from nothing but the objects, and the size of what is written. */
export function benchFleet(): readonly Figure[] {
  return [50, 1000, 4000].map(measure).flatMap(figuresOf);
}
