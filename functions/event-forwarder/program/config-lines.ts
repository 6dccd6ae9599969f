import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { messageOf } from '#shared/errors.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';

/** The path of fields from the top of the document to a field. */
export type FieldPath = readonly PropertyKey[];

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

/** The key and value of the field of a mapping, or the item of a list, at the next step of a path. */
function step(node: unknown, name: PropertyKey): { readonly at: unknown; readonly value: unknown } {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(name));
    return { at: pair?.key, value: pair?.value };
  }
  const item = isSeq(node) ? node.items[Number(name)] : undefined;
  return { at: item, value: item };
}

function lineOf(document: Document, lines: LineCounter, path: FieldPath): number {
  let node: unknown = document.contents;
  let line = 1;
  for (const name of path) {
    const { at, value } = step(node, name);
    if (at === undefined) break;
    // A node of a parsed document. Each node has its position.
    const { range } = at as Node;
    line = lines.linePos(range?.[0] ?? 0).line;
    node = value;
  }
  return line;
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
    const faults = document.errors.map(({ pos, code, message }) => ({
      line: lines.linePos(pos[0]).line,
      fault: code === 'MULTIPLE_DOCS' ? 'a second document begins here: keep one' : message,
    }));
    return { faults };
  }
  try {
    const value: unknown = document.toJS();
    return { content: { value, lineOf: (path) => lineOf(document, lines, path) } };
  } catch (error) {
    // An alias without its anchor, or too many aliases.
    return { faults: [{ line: 1, fault: messageOf(error) }] };
  }
}
