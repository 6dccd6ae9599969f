import { LineCounter, parseDocument } from 'yaml';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';
import { type FieldPath, lineOfField } from '#shared/yaml-lines.ts';

/** The content of a file of notifications. */
export interface NotificationsYaml {
  readonly value: unknown;
  /** The line, from 1, of a field, or of what would contain it. */
  lineOf(path: FieldPath): number;
}

const EMPTY =
  'it is empty: give the lists webhooks and rules, as docs/notifications.md shows, or leave --notifications out';

/** A fault without what the library says of it, because that may contain a secret. Its codes do not. */
function syntaxFault(code: string): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins: put everything into one';
  if (code === 'DUPLICATE_KEY') return 'a field is there twice: remove one';
  return `it is not valid YAML (the parser reports ${code})`;
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
    return { fault: `line ${lines.linePos(error.pos[0]).line}: ${syntaxFault(error.code)}` };
  if (parsed.contents === null) return { fault: EMPTY };
  try {
    const value: unknown = parsed.toJS();
    return { content: { value, lineOf: (path) => lineOfField(parsed, lines, path) } };
  } catch {
    return { fault: 'it is not valid YAML (an alias has no anchor, or there are too many)' };
  }
}
