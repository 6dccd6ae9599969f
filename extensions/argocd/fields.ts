import type { Explanation } from '#shared/core/explanation/explanation.ts';
import { type Verdict, verdictOfReport } from '#shared/core/explanation/shown-verdict.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';

/** A field of the status, as it is shown. */
export interface ShownField {
  readonly path: string;
  /** JSON, or words if there is no value. */
  readonly value: string;
  readonly rule: string;
  /** The file and the section that documents the rule. */
  readonly documentation: string;
  readonly decidedBy: readonly ShownDecider[] | 'all';
  /** Why the value departs from KubeStellar's proposal. Absent if it does not. */
  readonly departs?: string;
}

/** A WEC that decides a field. */
export interface ShownDecider {
  readonly wec: string;
  /** What it reports, if that differs from the field. */
  readonly value?: string;
  /** Absent if the API does not say. */
  readonly verdict?: Verdict;
}

function valueText(value: JsonValue | undefined, instead: string): string {
  if (value === undefined) return instead;
  return typeof value === 'string' ? value : stringifyJson(value);
}

function decidersOf(
  { decidedBy = [] }: Explanation['fields'][number],
  shown: string,
  verdicts: ReadonlyMap<string, Verdict>,
): ShownField['decidedBy'] {
  const deciders: ShownDecider[] = [];
  for (const decider of decidedBy) {
    if ('all' in decider) return 'all';
    const value = valueText(decider.value, 'nothing');
    const verdict = verdicts.get(decider.wec);
    deciders.push({
      wec: decider.wec,
      ...(value === shown ? {} : { value }),
      ...(verdict === undefined ? {} : { verdict }),
    });
  }
  return deciders;
}

/** Each field of the status, with its rule and the WECs that decide it. */
export function fieldsOf({
  fields,
  deciders,
}: Pick<Explanation, 'fields' | 'deciders'>): readonly ShownField[] {
  const verdicts = new Map(
    deciders.map(({ wec, state, health }) => [wec, verdictOfReport(state, health?.status)]),
  );
  return fields.map((field) => {
    const { path, rule, documentation, departs } = field;
    const value = valueText(field.value, 'left out');
    return {
      ...{ path, value, rule, documentation },
      decidedBy: decidersOf(field, value, verdicts),
      ...(departs === undefined ? {} : { departs }),
    };
  });
}
