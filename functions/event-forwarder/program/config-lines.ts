import {
  type Document,
  isScalar,
  LineCounter,
  parseDocument,
  type Scalar,
  visit,
  type YAMLError,
} from 'yaml';
import { messageOf } from '#shared/errors.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';
import { type FieldPath, lineOfField } from '#shared/yaml-lines.ts';
import { repeatedKey, SECOND_DOCUMENT } from './config-messages.ts';

/** The content of a YAML document, with line numbers. */
export interface YamlContent {
  readonly value: unknown;
  /** The line, from 1, of a field. If the field is missing, the line of the node that would contain it. */
  lineOf(path: FieldPath): number;
}

/** The reason why a text is not one YAML document. */
export interface YamlFault {
  readonly line: number;
  readonly fault: string;
}

/** The keys of a mapping that are the same as the one that begins at an offset, in the order of the text. */
function sameKeys(document: Document, offset: number): readonly Scalar[] {
  let same: readonly Scalar[] = [];
  visit(document, {
    Map: (_key, { items }) => {
      const keys = items.flatMap(({ key }) => (isScalar(key) ? [key] : []));
      const repeated = keys.find(({ range }) => range?.[0] === offset);
      if (repeated === undefined) return undefined;
      same = keys.filter(({ value }) => value === repeated.value);
      return visit.BREAK;
    },
  });
  return same;
}

function faultText(document: Document, { code, message, pos }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return SECOND_DOCUMENT;
  if (code !== 'DUPLICATE_KEY') return message;
  const [first, ...others] = sameKeys(document, pos[0]);
  if (first === undefined) return message;
  const words = [first, ...others].map(({ source, value }) => source ?? String(value));
  return repeatedKey([...new Set(words)], String(first.value));
}

/** Reads one YAML document as kubectl reads it. A key may occur only once. */
export function readYaml(
  text: string,
): { readonly content: YamlContent } | { readonly faults: readonly YamlFault[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    ...KUBECTL_YAML,
    lineCounter: lines,
    prettyErrors: false,
  });
  if (document.errors.length > 0) {
    const faults = document.errors.map((error) => ({
      line: lines.linePos(error.pos[0]).line,
      fault: faultText(document, error),
    }));
    return { faults };
  }
  try {
    const value: unknown = document.toJS();
    return { content: { value, lineOf: (path) => lineOfField(document, lines, path) } };
  } catch (error) {
    // An alias without its anchor, or too many aliases.
    return { faults: [{ line: 1, fault: messageOf(error) }] };
  }
}
