import { parse } from 'yaml';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import {
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { returnedObject } from '#shared/core/status/returned-object.ts';
import { codeBlocks } from './markdown.ts';

/** The part of the document that is about one kind. */
export interface KindSection {
  /** As in `STATUS_RULES`: `apps/v1/Deployment`; of several API versions the first. */
  readonly kind: string;
  /** All API versions of the kind that the heading names, as in `STATUS_RULES`. */
  readonly kinds: readonly string[];
  readonly text: string;
}

/** The text below a heading, up to the next one of the same level or a higher one. */
export function sectionBelow(text: string, heading: string): string {
  const begin = text.indexOf(`\n${heading}\n`);
  if (begin < 0) throw new Error(`no heading ${heading}`);
  const body = text.slice(begin + heading.length + 2);
  const level = heading.indexOf(' ');
  const end = body.search(new RegExp(`^#{1,${level}} `, 'm'));
  return end < 0 ? body : body.slice(0, end);
}

/** The sections `### Deployment (apps/v1)` of a text, in order; a heading may name several API versions. */
export function kindSections(text: string): readonly KindSection[] {
  return [...text.matchAll(/^### (\w+) \((`[\w./*`, -]+`)\)$/gm)].map(
    ([heading, kind, apiVersions = '']) => {
      const kinds = quoted(apiVersions).map((apiVersion) => `${apiVersion}/${kind}`);
      return { kind: kinds[0] ?? '', kinds, text: sectionBelow(text, heading) };
    },
  );
}

/** The rows of the table with this header, each cell trimmed; fails where there is no such table. */
export function tableRows(text: string, ...header: readonly string[]): readonly string[][] {
  const lines = text.split('\n');
  const begin = lines.indexOf(`| ${header.join(' | ')} |`);
  if (begin < 0) throw new Error(`no table | ${header.join(' | ')} |`);
  const rows: string[][] = [];
  for (const line of lines.slice(begin + 2)) {
    if (!line.startsWith('|')) break;
    rows.push(
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
  }
  return rows;
}

/** What stands between backticks. */
export function quoted(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, inner = '']) => inner);
}

/** The numbered rules and counterexamples that a text cites, each once: D1, D8b, DS3, K3. */
export function citedNumbers(text: string): readonly string[] {
  return [...new Set(text.match(/\b[A-Z]{1,2}\d+b?\b/g) ?? [])];
}

/** An example as the document shows it. What it leaves out of an object is as in the WDS. */
interface Example {
  readonly wds: JsonObject;
  /** What the API server of each WEC returns; null for one that has returned nothing. */
  readonly wecs: Readonly<Record<string, JsonObject | null>>;
  /** The status that is written to the WDS. */
  readonly aggregate: JsonObject;
  /** What Argo CD says of each WEC's object, and of the WDS's with the aggregate. */
  readonly argocd: JsonObject;
}

/** What the rules make of an example. */
export type Outcome = Pick<Example, 'aggregate' | 'argocd'>;

/** The examples of a section. */
export function examplesIn(text: string): readonly Example[] {
  return (
    codeBlocks(text)
      .filter(({ language }) => language === 'yaml')
      // The test compares every member.
      .map(({ code }) => parse(code) as Example)
  );
}

function completed(object: JsonObject, base: JsonObject): JsonObject {
  const metadata = { name: 'web', generation: 1, ...membersOf(object['metadata']) };
  return { ...base, ...object, metadata };
}

function membersOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function verdictOf(object: JsonObject): string | null {
  return assessArgoCd(object)?.status ?? null;
}

function rowOf(wec: string, object: JsonObject, specs: Map<string, JsonValue>): PerWecRow {
  const { spec, ...rest } = returnedObject(object);
  if (spec === undefined) return { wec, row: { wec, ...rest } };
  const specHash = stringifyJson(spec);
  specs.set(specHash, spec);
  return { wec, row: { wec, ...rest, specHash } };
}

/** Runs an example. */
export function outcomeOf(kind: string, { wds, wecs }: Pick<Example, 'wds' | 'wecs'>): Outcome {
  const slash = kind.lastIndexOf('/');
  const type = { apiVersion: kind.slice(0, slash), kind: kind.slice(slash + 1) };
  // `completed` gives it all that a workload object has.
  const workload = completed(wds, type) as unknown as WorkloadObject;
  const spec = member(wds, 'spec');
  const base = spec === undefined ? type : { ...type, spec };
  const specs = new Map<string, JsonValue>();
  const rows: PerWecRow[] = [];
  const verdicts: [string, JsonValue][] = [];
  for (const [wec, given] of Object.entries(wecs)) {
    const object = given && completed(given, base);
    rows.push(object ? rowOf(wec, object, specs) : { wec });
    if (object) verdicts.push([wec, verdictOf(object)]);
  }
  const fold = statusFold(workload, specs);
  const aggregate = fold.finish(foldRows(fold, rows)) ?? {};
  const verdict = verdictOf({ ...workload, status: aggregate });
  return { aggregate, argocd: Object.fromEntries([...verdicts, ['wds', verdict]]) };
}
