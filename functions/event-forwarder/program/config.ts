import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import * as z from 'zod/mini';
import { plainText } from '#shared/core/plain-text.ts';
import type { FieldPath } from '#shared/yaml-lines.ts';
import { readYaml, type YamlContent } from './config-lines.ts';
import { noSuchFile, notAFile, notYaml } from './config-messages.ts';
import { defaultLeaseName } from './config-rules.ts';
import { configSchema } from './config-schema.ts';

type Parsed = z.output<typeof configSchema>;

/** The configuration of the forwarder, with its defaults (docs/forwarder.md, "Configuration"). */
export type ForwarderConfig = Omit<Parsed, 'leaderElection'> & {
  readonly leaderElection: Parsed['leaderElection'] & { readonly name: string };
};

/** A configuration, or all its faults: a line of text for each fault. */
export type ConfigReading =
  | { readonly ok: true; readonly config: ForwarderConfig }
  | { readonly ok: false; readonly faults: readonly string[] };

interface FieldFault {
  readonly path: FieldPath;
  readonly fault: string;
}

/** The fields that name files which must be readable at the start. */
const FILE_FIELDS: readonly FieldPath[] = [
  ['queue', 'http', 'tokenFile'],
  ['queue', 'http', 'caFile'],
  ['kubernetes', 'kubeconfig'],
];

function valueAt(value: unknown, path: FieldPath): unknown {
  let found: unknown = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

/** `source.select.resources[0]`; `''` for the document itself. A name may contain any character, and a fault is one line. */
function fieldName(path: FieldPath): string {
  const steps = path.map((name) => (typeof name === 'number' ? `[${name}]` : `.${String(name)}`));
  return plainText(steps.join('').replace(/^\./, ''));
}

function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException; // node:fs throws system errors, which carry a code.
  return code ?? String(error);
}

/** The reason why a file cannot be read, with the remedy. `undefined`: the file can be read. */
function unreadable(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile() ? undefined : notAFile(file);
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT'
      ? noSuchFile(file)
      : `${file} cannot be read (${code}): give this process the right to read it`;
  }
}

function fileFaults(value: unknown): readonly FieldFault[] {
  return FILE_FIELDS.flatMap((path) => {
    const file = valueAt(value, path);
    const fault = typeof file === 'string' && file !== '' ? unreadable(file) : undefined;
    return fault === undefined ? [] : [{ path, fault }];
  });
}

function schemaFaults(value: unknown, issue: z.core.$ZodIssue): readonly FieldFault[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    const faults = message.split('\n');
    return issue.keys.map((key, index) => ({ path: [...path, key], fault: faults[index] ?? '' }));
  }
  const missing = path.length > 0 && valueAt(value, path) === undefined;
  return [
    { path, fault: missing && /^must/.test(message) ? `is missing: it ${message}` : message },
  ];
}

function rendered(file: string, { lineOf }: YamlContent, faults: readonly FieldFault[]) {
  return faults
    .map(({ path, fault }) => ({ line: lineOf(path), name: fieldName(path), fault }))
    .sort((a, b) => a.line - b.line)
    .map(({ line, name, fault }) => [`${file}:${line}`, ...(name ? [name] : []), fault].join(': '));
}

/**
 * Reads a configuration from YAML text, and checks that the files that it names can be read.
 *
 * @param file the name of the text in faults
 */
export function parseConfig(file: string, text: string): ConfigReading {
  const yaml = readYaml(text);
  if ('faults' in yaml)
    return {
      ok: false,
      faults: yaml.faults.map(({ line, fault }) => `${file}:${line}: ${notYaml(fault)}`),
    };
  const { content } = yaml;
  const parsed = z.safeParse(configSchema, content.value);
  const issues = parsed.success ? [] : parsed.error.issues;
  const found = [
    ...issues.flatMap((issue) => schemaFaults(content.value, issue)),
    ...fileFaults(content.value),
  ];
  if (!parsed.success || found.length > 0)
    return { ok: false, faults: rendered(file, content, found) };
  const { leaderElection, ...rest } = parsed.data;
  const name = leaderElection.name ?? defaultLeaseName(rest.source);
  return { ok: true, config: { ...rest, leaderElection: { ...leaderElection, name } } };
}

/** Like {@link parseConfig}, from a file. */
export function readConfig(file: string): ConfigReading {
  const fault = unreadable(file);
  if (fault !== undefined) return { ok: false, faults: [fault] };
  return parseConfig(file, readFileSync(file, 'utf8'));
}
