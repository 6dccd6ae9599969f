import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { Explanation } from '#shared/core/status-api/explanation.ts';

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
}

function valueText(value: JsonValue | undefined, instead: string): string {
  if (value === undefined) return instead;
  return typeof value === 'string' ? value : stringifyJson(value);
}

function decidersOf(
  { decidedBy = [] }: Explanation['fields'][number],
  shown: string,
): ShownField['decidedBy'] {
  const deciders: ShownDecider[] = [];
  for (const decider of decidedBy) {
    if ('all' in decider) return 'all';
    const value = valueText(decider.value, 'nothing');
    deciders.push({ wec: decider.wec, ...(value === shown ? {} : { value }) });
  }
  return deciders;
}

/** Each field of the status, with its rule and the WECs that decide it. */
export function fieldsOf({ fields }: Explanation): readonly ShownField[] {
  return fields.map((field) => {
    const { path, rule, documentation, departs } = field;
    const value = valueText(field.value, 'left out');
    return {
      ...{ path, value, rule, documentation },
      decidedBy: decidersOf(field, value),
      ...(departs === undefined ? {} : { departs }),
    };
  });
}
