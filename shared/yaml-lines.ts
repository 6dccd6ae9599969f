import { type Document, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';

/** The path of fields from the top of a document to a field. */
export type FieldPath = readonly PropertyKey[];

/** The key and value of the field of a mapping, or the item of a list, at the next step of a path. */
function step(node: unknown, name: PropertyKey): { readonly at: unknown; readonly value: unknown } {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(name));
    return { at: pair?.key, value: pair?.value };
  }
  const item = isSeq(node) ? node.items[Number(name)] : undefined;
  return { at: item, value: item };
}

/**
 * The line, from 1, of a field of a parsed document. If the field is missing, the line of the node that would contain it.
 *
 * @param lines counted while the document was parsed
 */
export function lineOfField(document: Document, lines: LineCounter, path: FieldPath): number {
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
