import type { ResourceSummary } from '#shared/core/fleet/resource/rule.ts';
import { summarizeResource } from '#shared/core/fleet/resource/summary.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
/** kstatus's message for an object without rule and conditions. */
export const CURRENT = 'Resource is current';

/** An object of a kind that Fleet does not know. */
export function widget(conditions: JsonValue, status: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'demo.example.com/v1',
    kind: 'Widget',
    metadata: { name: 'gizmo', namespace: 'shop' },
    status: { ...status, conditions },
  };
}

/** A condition with a reason and a message of its own. */
export function entry(type: string, status: string, more: JsonObject = {}): JsonObject {
  return { type, status, reason: `${type}Reason`, message: `${type} message.`, ...more };
}

/** Fleet's summary of an object. */
export function summarize(
  object: JsonObject,
  ignoreConditions?: readonly JsonObject[],
): ResourceSummary {
  return summarizeResource(object, {
    nowMs: NOW_MS,
    ...(ignoreConditions === undefined ? {} : { ignoreConditions }),
  });
}

type Flags = 'error' | 'transitioning' | 'both' | 'ready';

/** A summary with a state, flags and messages. */
export function expected(state: string, flags: Flags, message: readonly string[]): ResourceSummary {
  return {
    state,
    error: flags === 'error' || flags === 'both',
    transitioning: flags === 'transitioning' || flags === 'both',
    message,
  };
}
