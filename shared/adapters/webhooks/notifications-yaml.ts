import { LineCounter, parseDocument } from 'yaml';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';
import { type FieldPath, lineOfField } from '#shared/yaml-lines.ts';
import {
  atLine,
  EMPTY,
  INVALID_ALIASES,
  noYaml,
  parserReports,
  REPEATED_FIELD,
  SECOND_DOCUMENT,
} from './document-messages.ts';

/** The content of a file of notifications. */
export interface NotificationsYaml {
  readonly value: unknown;
  /** The line, from 1, of a field, or of what would contain it. */
  lineOf(path: FieldPath): number;
}

/** A fault without what the library says of it, because that may contain a secret. Its codes do not. */
function syntaxFault(code: string): string {
  if (code === 'MULTIPLE_DOCS') return SECOND_DOCUMENT;
  if (code === 'DUPLICATE_KEY') return REPEATED_FIELD;
  return noYaml(parserReports(code));
}

/** Reads the YAML of a file of notifications. `fault`: why that is not possible, without anything of the file. */
export function readNotificationsYaml(
  text: string,
): { readonly content: NotificationsYaml } | { readonly fault: string } {
  const lines = new LineCounter();
  const parsed = parseDocument(text, {
    ...KUBECTL_YAML,
    lineCounter: lines,
    prettyErrors: false,
  });
  const [error] = parsed.errors;
  if (error !== undefined)
    return { fault: atLine(lines.linePos(error.pos[0]).line, syntaxFault(error.code)) };
  if (parsed.contents === null) return { fault: EMPTY };
  try {
    const value: unknown = parsed.toJS();
    return { content: { value, lineOf: (path) => lineOfField(parsed, lines, path) } };
  } catch {
    return { fault: noYaml(INVALID_ALIASES) };
  }
}
