import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FLEET_RULE_NAMES } from '#shared/core/explanation/fleet-explanation-type.ts';
import { isWorse, worst } from '#shared/core/health/verdict.ts';
import { isArray, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { ABNORMAL_WHEN_TRUE } from '#shared/core/status/condition-polarity.ts';
import { decideStatus, type StatusMembership } from '#shared/core/status/decision.ts';
import { type FieldRules, RULE_NAMES } from '#shared/core/status/field-rules.ts';
import { ruleOf, STATUS_RULES } from '#shared/core/status/kinds/rules.ts';
import { deployment } from '#test/fixtures/wec-rows.ts';
import { departingFields } from '#test/property/status/departures.ts';
import { type KindSet, type KindSets, kindSets } from '#test/property/status/kind-sets.ts';
import { aggregate, SITUATIONS } from '#test/property/status/kind-verdicts.ts';
import { ALL_KINDS } from '#test/property/status/kinds/all.ts';
import { ROOT, readDocument } from './markdown.ts';
import {
  citedNumbers,
  examplesIn,
  kindSections,
  outcomeOf,
  quoted,
  sectionBelow,
  tableRows,
} from './rules-document.ts';

const { text } = readDocument('docs/rules.md');
const SECTIONS = kindSections(text);

describe('the results for a status, as in docs/rules.md', () => {
  const header = ['singleton', 'multi-WEC', 'qualified WECs', 'what Starfold does'];
  const rows = tableRows(text, ...header).map(
    ([singleton = '', multi = '', wecs = '', action = '']) => ({ singleton, multi, wecs, action }),
  );
  const WECS: Readonly<Record<string, readonly number[]>> = {
    '0': [0],
    '1': [1],
    '0, or 2 and more': [0, 2, 3],
    '2 and more': [2, 3],
    any: [0, 1, 2],
  };

  it('has a row for each combination of flags and number of WECs', () => {
    const cases = rows.flatMap(({ singleton, multi, wecs }) =>
      (WECS[wecs] ?? []).map((count) => `${singleton} ${multi} ${Math.min(count, 2)}`),
    );
    const flags = ['yes no', 'no yes', 'yes yes', 'no no'];
    expect(new Set(cases)).toEqual(
      new Set(flags.flatMap((pair) => [0, 1, 2].map((count) => `${pair} ${count}`))),
    );
  });

  it.each(rows)('$singleton, $multi, $wecs: $action', ({ singleton, multi, wecs, action }) => {
    const actions = (WECS[wecs] ?? []).map((count) => {
      const membership: StatusMembership = {
        destinations: Array.from({ length: count }, (_none, index) => `wec${index}`),
        wantSingletonReportedState: singleton === 'yes',
        wantMultiWECReportedState: multi === 'yes',
      };
      return decideStatus(deployment(), [membership]).action;
    });
    expect([...new Set(actions)]).toEqual([action.split(':')[0]]);
  });
});

describe('the sections of docs/rules.md about kinds', () => {
  it('are one for each kind that has a rule', () => {
    const named = SECTIONS.flatMap(({ kinds }) => kinds);
    expect(named.sort()).toEqual([...STATUS_RULES.keys()].sort());
  });

  it.each(SECTIONS)('$kind: name the API versions of one rule', ({ kinds }) => {
    expect(new Set(kinds.map((kind) => STATUS_RULES.get(kind))).size).toBe(1);
  });

  it.each(SECTIONS)('$kind: say what Argo CD reads, and show an example', (section) => {
    expect(section.text).toMatch(/^Argo CD reads /m);
    expect(examplesIn(section.text).length).toBeGreaterThan(0);
  });
});

const SETS: readonly KindSets[] = ALL_KINDS.map(([, sets]) => sets);

/** A field and a condition that no API has: does the rule let through what it does not know? */
const UNKNOWN_FIELD = 'fieldOfNoApi';
const UNKNOWN_CONDITION = 'AnyOther';
/** Conditions that the random sets have because no rule knows them. */
const OTHERS = [UNKNOWN_CONDITION, 'constructor', 'example.com/Audited'];
/** What every kind has, as the document says once for all. */
const OBSERVED = 'observedGeneration';
/** How the document calls a condition of any type that it does not name. */
const ANY_OTHER = 'conditions[any other]';

function withUnknown(status: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(status)) return status;
  const { conditions } = status;
  const entry = { type: UNKNOWN_CONDITION, status: 'True', reason: 'Why', message: '' };
  return {
    [OBSERVED]: 1,
    ...status,
    [UNKNOWN_FIELD]: 1,
    conditions: [...(isArray(conditions) ? conditions : []), entry],
  };
}

function withUnknownFields(set: KindSet): KindSet {
  const wecs = set.wecs.map((wec) => {
    const { row } = wec.perWec;
    const status = withUnknown(row?.status);
    if (row === undefined || status === undefined) return wec;
    return { ...wec, perWec: { ...wec.perWec, row: { ...row, status } } };
  });
  return { ...set, wecs };
}

function fieldsOf(status: JsonObject): readonly string[] {
  return Object.entries(status).flatMap(([name, value]): readonly string[] => {
    if (name === 'conditions' && isArray(value)) {
      const types = value.map((entry) => String(member(entry, 'type')));
      return types.map((type) => (OTHERS.includes(type) ? ANY_OTHER : `${name}[${type}]`));
    }
    return isObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name];
  });
}

/** Enough that each field is among them. */
const SETS_OF_EACH = 150;

/** How the document calls a field that departs from the letter. */
function documented(field: string): string {
  if (field === 'loadBalancer') return 'loadBalancer.ingress';
  return OTHERS.includes(/^conditions\[(.*)\]$/.exec(field)?.[1] ?? '') ? ANY_OTHER : field;
}

/** What departs in every kind (K2, K6), or is said in words. */
const SAID_ELSEWHERE = [OBSERVED, 'order of conditions'];

function departing(sets: KindSets, set: KindSet): readonly string[] {
  return (departingFields(sets, set) ?? [])
    .filter((field) => !SAID_ELSEWHERE.includes(field))
    .map(documented);
}

/** The fields of some hundred random sets of WECs, each once. */
interface FieldsOfSets {
  /** That the rule writes. */
  readonly written: readonly string[];
  readonly departing: readonly string[];
}

function fieldsOfSets(kind: string): FieldsOfSets {
  const rule = STATUS_RULES.get(kind);
  const own = SETS.filter((sets) => {
    const { apiVersion } = sets;
    return ruleOf({ apiVersion, kind: sets.kind, metadata: {} }) === rule;
  });
  const fields = own.flatMap((sets) =>
    SITUATIONS.flatMap(([, options]) =>
      fc.sample(kindSets(sets, options), { numRuns: SETS_OF_EACH, seed: 1 }).map((set) => ({
        written: fieldsOf(aggregate(withUnknownFields(set)) ?? {}),
        departing: departing(sets, set),
      })),
    ),
  );
  const each = (name: keyof FieldsOfSets): readonly string[] =>
    [...new Set(fields.flatMap((one) => one[name]))].sort();
  return { written: each('written'), departing: each('departing') };
}

/** Drawn once for each section: that takes longer than to look at the sets. */
const FIELDS = new Map<string, FieldsOfSets>();

function fieldsOfAny(kind: string): FieldsOfSets {
  const fields = FIELDS.get(kind) ?? fieldsOfSets(kind);
  FIELDS.set(kind, fields);
  return fields;
}

const DEPARTURES = ['field', 'rule', 'instead of the letter', 'why not the letter'];
const SILENT = ['field', 'rule', 'where the document is silent', 'why not something else'];

/** The rows of a table of a section; none where it has no such table. */
function rowsOf(section: string, header: readonly string[]): readonly string[][] {
  return section.includes(`| ${header.join(' | ')} |`) ? tableRows(section, ...header) : [];
}

function fieldsIn(rows: readonly string[][]): readonly string[] {
  return rows.flatMap(([field = '']) => quoted(field));
}

/** The fields of which a section says that they never depart from the letter. */
function literalFields(section: string): readonly string[] {
  const [, named = ''] = /^By the letter alone: ([\s\S]*?)\n\n/m.exec(section) ?? [];
  return quoted(named);
}

describe('the fields of a kind in docs/rules.md', () => {
  it.each(SECTIONS)('$kind: are those that its rule writes, each once', (section) => {
    const rows = [...rowsOf(section.text, DEPARTURES), ...rowsOf(section.text, SILENT)];
    const named = [...fieldsIn(rows), ...literalFields(section.text)];
    expect(named).toHaveLength(new Set(named).size);
    expect([...named, OBSERVED].sort()).toEqual(fieldsOfAny(section.kind).written);
    expect(rows.flatMap((cells) => cells.filter((cell) => cell === ''))).toEqual([]);
  });

  it.each(SECTIONS)('$kind: depart from the letter in its table of departures alone', (section) => {
    const named = fieldsIn(rowsOf(section.text, DEPARTURES));
    expect([...named].sort()).toEqual(fieldsOfAny(section.kind).departing);
  });
});

/** Each field that the rows of a table name, with the name of its rule there. */
function namedRules(
  rows: readonly string[][],
): readonly (readonly [field: string, rule: string])[] {
  return rows.flatMap(([fields = '', rule = '']) =>
    quoted(fields).map((field) => [field, rule] as const),
  );
}

/** The rules of a field in the code, by its name in the document. */
function codeRules(kind: string, field: string): FieldRules[string] | undefined {
  const { fields = {} } = STATUS_RULES.get(kind) ?? {};
  if (field === ANY_OTHER) return fields['conditions'];
  return (
    fields[field.replace(/\.ingress$/, '')] ??
    (/^conditions\[/.test(field) ? fields['conditions'] : undefined)
  );
}

const NAMES = tableRows(text, 'name', 'what it means').flatMap(([names = '']) => quoted(names));
const LETTER = ['lowest', 'condition', 'same-in-all'];

describe('the names of the rules in docs/rules.md', () => {
  it.each(SECTIONS)('$kind: are those of explanations', ({ kind, text: section }) => {
    const departures = namedRules(rowsOf(section, DEPARTURES));
    const silent = namedRules(rowsOf(section, SILENT));
    const literal = literalFields(section);
    for (const [field, rule] of departures)
      expect([field, codeRules(kind, field)?.departure?.rule]).toEqual([field, rule]);
    for (const [field, rule] of silent)
      expect([field, codeRules(kind, field)?.letter.rule]).toEqual([field, rule]);
    for (const field of [...literal, ...departures.map(([name]) => name)])
      expect(LETTER).toContain(codeRules(kind, field)?.letter.rule);
    for (const field of literal) expect(codeRules(kind, field)?.departure).toBeUndefined();
  });

  it.each(SECTIONS)('$kind: are documented where explanations say', ({ kind, text: section }) => {
    const [file, anchor = ''] = STATUS_RULES.get(kind)?.documentation.split('#') ?? [];
    expect(file).toBe('rules.md');
    const [, below = ''] = text.split(`<a id="${anchor}"></a>\n\n`);
    expect(below.slice(below.indexOf('\n') + 1)).toContain(section.slice(0, 200));
  });

  it('are each explained once', () => {
    const used = [...STATUS_RULES.values()].flatMap(({ fields }) =>
      Object.values(fields).flatMap(({ letter, departure = letter }) => [letter, departure]),
    );
    expect(NAMES).toHaveLength(new Set(NAMES).size);
    expect(NAMES).toEqual(expect.arrayContaining([...new Set(used.map(({ rule }) => rule))]));
    expect([...NAMES].sort()).toEqual([...RULE_NAMES].sort());
  });
});

it('docs/fleet.md names the rules of explanations', () => {
  const rows = tableRows(readDocument('docs/fleet.md').text, 'rule', 'what it means');
  expect(rows.flatMap(([name = '']) => quoted(name))).toEqual([...FLEET_RULE_NAMES]);
});

describe('the examples of docs/rules.md', () => {
  const examples = SECTIONS.flatMap((section) =>
    examplesIn(section.text).map((example) => ({ kind: section.kind, example })),
  );

  it.each(examples)('$kind: gives what is shown', ({ kind, example }) => {
    const { wds, wecs, ...shown } = example;
    expect(shown).toEqual(outcomeOf(kind, { wds, wecs }));
    expect(Object.keys(wecs).length).toBeGreaterThan(1);
  });

  it('never look better to Argo CD than the worst WEC', () => {
    for (const { example } of examples) {
      const { wds, ...wecs } = example.argocd as Record<string, Parameters<typeof isWorse>[0]>;
      expect(isWorse(worst(Object.values(wecs)), wds ?? 'Healthy')).toBe(false);
    }
  });

  it.each(examplesIn(sectionBelow(text, '## 4. Every other kind')))(
    'any other kind: gives what is shown (%#)',
    ({ wds, wecs, ...shown }) => {
      const kind = 'example.com/v1/Database';
      expect(STATUS_RULES.has(kind)).toBe(false);
      expect(shown).toEqual(outcomeOf(kind, { wds, wecs }));
    },
  );
});

it('docs/rules.md lists the counters that are 0 in an aggregate', () => {
  const rows = tableRows(text, 'kind', 'counters that are there also at 0');
  const shown = rows.map(([name = '', fields = '']) => [name, [...quoted(fields)].sort()]);
  const nothing = { wds: { spec: {} }, wecs: { wec1: { status: {} }, wec2: { status: {} } } };
  const written = SECTIONS.map(({ kind }): [string, readonly string[]] => {
    const { aggregate: status } = outcomeOf(kind, nothing);
    const [, name = ''] = /(\w+)$/.exec(kind) ?? [];
    const version = kind.startsWith('autoscaling/v1/') ? ' of `autoscaling/v1`' : '';
    const counters = Object.keys(status).filter((field) => status[field] === 0);
    return [`${name}${version}`, counters.sort()];
  });
  expect(shown).toEqual(written.filter(([, fields]) => fields.length > 0));
});

it('docs/rules.md names the kinds of which no status can say everything', () => {
  const rows = tableRows(text, 'kind', 'case', "Argo CD's verdict on the aggregate");
  const named = rows.flatMap(([kinds = '']) => kinds.split(', '));
  const kinds = SETS.filter(({ unavoidable }) => unavoidable !== undefined).map(({ kind }) => kind);
  expect([...new Set(named)].sort()).toEqual([...new Set(kinds)].sort());
});

it('docs/rules.md lists the conditions that are bad when True as the code does', () => {
  const shown = tableRows(text, 'type', 'where it is defined', 'True says that');
  const code = ABNORMAL_WHEN_TRUE.map(({ type, api, whenTrue }) => [`\`${type}\``, api, whenTrue]);
  expect(shown).toEqual(code);
});

describe('the numbered counterexamples', () => {
  const titles = globSync('test/unit/**/*.test.ts', { cwd: ROOT }).flatMap((path) => {
    const source = readFileSync(join(ROOT, path), 'utf8');
    return [...source.matchAll(/['"`]((?:[A-Z]{1,2}\d+b?, )*[A-Z]{1,2}\d+b?): /g)];
  });
  const tested = new Set(titles.flatMap(([, numbers = '']) => numbers.split(', ')));

  it('each begin the name of a test, and no test has another number', () => {
    const cited = citedNumbers(text);
    expect(cited).toContain('D4b');
    expect([...tested].sort()).toEqual([...cited].sort());
  });
});
