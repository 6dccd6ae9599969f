import { contentHash } from '#shared/content-hash.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { matchRule, type Rule } from '#shared/core/notification/rules.ts';
import type { Notified } from '#shared/state/notified.ts';
import type { SendNotificationsDeps } from './deps.ts';
import { NO_VALUE } from './messages.ts';

/** The number of values of `oncePer` that are remembered for each rule and topic. */
const MAX_ONCE = 32;

/** Who gets an event, and the values of `oncePer` to remember. */
export interface Choice {
  /** Each once, in the order of the rules. */
  readonly receivers: readonly string[];
  readonly once: Notified['once'];
}

/** Adds a value to those that are remembered for a rule. Returns undefined if it is one of them. */
function withValue(known: readonly string[], value: string): readonly string[] | undefined {
  const hash = contentHash(value);
  return known.includes(hash) ? undefined : [...known, hash].slice(-MAX_ONCE);
}

/** The match of one rule: whether it applies, and the values of `oncePer` to remember. */
function applied(
  { telemetry }: Pick<SendNotificationsDeps, 'telemetry'>,
  rule: Rule,
  { event, before }: { readonly event: JsonObject; readonly before: readonly string[] },
): { readonly applies: boolean; readonly values: readonly string[] } {
  const match = matchRule(rule, event);
  switch (match.type) {
    case 'failed': {
      const { field, error } = match;
      telemetry.warn(NO_VALUE, { rule: rule.name, field, error, id: event['id'] });
      return { applies: false, values: before };
    }
    case 'no':
      return { applies: false, values: before };
    case 'yes': {
      if (match.once === undefined) return { applies: true, values: [] };
      const values = withValue(before, match.once);
      return { applies: values !== undefined, values: values ?? before };
    }
  }
}

/** Evaluates the rules on an event. Rules that no longer exist are forgotten. */
export function chooseReceivers(
  deps: Pick<SendNotificationsDeps, 'rules' | 'telemetry'>,
  event: JsonObject,
  known: Notified['once'],
): Choice {
  const receivers = new Set<string>();
  const once: Record<string, readonly string[]> = {};
  for (const rule of deps.rules) {
    const { applies, values } = applied(deps, rule, { event, before: known[rule.name] ?? [] });
    if (values.length > 0) once[rule.name] = values;
    if (applies) for (const receiver of rule.send) receivers.add(receiver);
  }
  return { receivers: [...receivers], once };
}
