import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { Modulation } from './binding.ts';
import { readFlag, readList } from './policy-field.ts';

/** What a clause of a BindingPolicy asks for the objects that it matches (KubeStellar, `DownsyncModulation`). */
export interface DownsyncModulation extends Modulation {
  /** Create the object in a WEC where it is missing; never update it. */
  readonly createOnly: boolean;
}

/** The members of a clause that say how, not what. */
export const MODULATION_MEMBERS = [
  'createOnly',
  'statusCollectors',
  'wantSingletonReportedState',
  'wantMultiWECReportedState',
] as const;

function distinct(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].sort();
}

/** Names of StatusCollectors, sorted, each once; what is no name is told in `errors`. */
export function readCollectorNames(
  value: JsonValue | undefined,
  path: string,
  errors: string[],
): readonly string[] {
  const names: string[] = [];
  for (const [index, name] of readList(value, path, errors).entries()) {
    if (typeof name === 'string' && name !== '') names.push(name);
    else errors.push(`${path}[${index}]: must be the name of a StatusCollector`);
  }
  return distinct(names);
}

/** Reads the modulation of a clause; its faults are told in `errors`. */
export function readModulation(
  clause: JsonObject,
  path: string,
  errors: string[],
): DownsyncModulation {
  const flag = (name: (typeof MODULATION_MEMBERS)[number]): boolean =>
    readFlag(clause[name], `${path}.${name}`, errors);
  return {
    createOnly: flag('createOnly'),
    statusCollectors: readCollectorNames(
      clause['statusCollectors'],
      `${path}.statusCollectors`,
      errors,
    ),
    wantSingletonReportedState: flag('wantSingletonReportedState'),
    wantMultiWECReportedState: flag('wantMultiWECReportedState'),
  };
}

/**
 * What two clauses that match one object ask for it together: flags are combined by OR, collectors by union
 * (KubeStellar, `DownsyncPolicyClause`).
 */
export function mergeModulations(a: DownsyncModulation, b: DownsyncModulation): DownsyncModulation {
  return {
    createOnly: a.createOnly || b.createOnly,
    statusCollectors: distinct([...a.statusCollectors, ...b.statusCollectors]),
    wantSingletonReportedState: a.wantSingletonReportedState || b.wantSingletonReportedState,
    wantMultiWECReportedState: a.wantMultiWECReportedState || b.wantMultiWECReportedState,
  };
}
