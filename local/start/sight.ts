import { OBJECT_MISSING } from '#shared/core/status-api/messages.ts';
import type { ReflectorState } from '#shared/watch/reflection.ts';
import {
  KIND_NOT_SERVED,
  missingBefore,
  NO_ANSWER_YET,
  NOT_READ_HERE,
  NOT_READABLE,
  silentSince,
  unreachableSince,
} from './display-messages.ts';

/** How well the objects of one resource in one cluster are seen. */
export type Sight =
  /**
   * The cluster is not read here. It reports by HTTP, or not at all. If it is silent, `silentSince` is the time of its last
   * heartbeat.
   */
  | { readonly state: 'elsewhere'; readonly silentSince?: string }
  /** The cluster was asked, and has not answered yet. */
  | { readonly state: 'asked' }
  | { readonly state: 'seen' }
  /** Its API server does not serve the resource. */
  | { readonly state: 'not-served' }
  | { readonly state: 'forbidden' }
  /** The cluster does not answer. */
  | { readonly state: 'unreachable'; readonly since: string; readonly wasSeen: boolean };

function unreachable(before: Sight, now: string): Sight {
  if (before.state === 'unreachable') return before;
  const wasSeen = before.state === 'seen' || before.state === 'not-served';
  return { state: 'unreachable', since: now, wasSeen };
}

/**
 * How well a resource is seen after its reflector has reported a state.
 *
 * @param now RFC 3339
 */
export function nextSight(before: Sight, { phase }: ReflectorState, now: string): Sight {
  switch (phase) {
    case 'waiting':
      return unreachable(before, now);
    case 'not-served':
    case 'forbidden':
      return { state: phase };
    // A listing has begun. What was seen before is still seen.
    case 'listing':
      return before;
    case 'connecting':
    case 'watching':
      return { state: 'seen' };
  }
}

function timeOf(since: string): string {
  return since.slice(11, 19);
}

/** Why an object is not seen. */
export function absenceText(sight: Sight): string {
  switch (sight.state) {
    case 'elsewhere':
      return sight.silentSince === undefined
        ? NOT_READ_HERE
        : silentSince(timeOf(sight.silentSince));
    case 'asked':
      return NO_ANSWER_YET;
    case 'seen':
      return OBJECT_MISSING;
    case 'not-served':
      return KIND_NOT_SERVED;
    case 'forbidden':
      return NOT_READABLE;
    case 'unreachable':
      return sight.wasSeen
        ? missingBefore(timeOf(sight.since))
        : unreachableSince(timeOf(sight.since));
  }
}

/** The remark about an object that was seen, or `''` if it is shown as it is now. */
export function stalenessText(sight: Sight): string {
  return sight.state === 'unreachable' ? unreachableSince(timeOf(sight.since)) : '';
}
