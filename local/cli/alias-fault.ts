import { type Document, type Node, visit } from 'yaml';

/** What is wrong with an alias (`*name`) of a YAML document, and what to do. */
export interface AliasFault {
  /** Where it stands in the text, in UTF-16 units. */
  readonly offset: number;
  readonly problem: string;
}

function problemOf(name: string, target: Node | undefined, around: readonly unknown[]): string {
  if (target === undefined)
    return `nothing before it has the anchor &${name}: set it there, or write out what *${name} stands for`;
  return around.includes(target)
    ? `*${name} stands within what it stands for, which has no end: write out what is meant`
    : '';
}

/** The first alias of a document that stands for nothing, or for a part that holds the alias itself. */
export function aliasFault(document: Document.Parsed): AliasFault | undefined {
  const anchors = new Map<string, Node>();
  let fault: AliasFault | undefined;
  visit(document, {
    Alias: (_key, { source, range }, path) => {
      const problem = problemOf(source, anchors.get(source), path);
      if (problem === '') return undefined;
      // What is parsed knows where it stands.
      fault = { offset: range?.[0] ?? 0, problem };
      return visit.BREAK;
    },
    // Before what is inside it.
    Value: (_key, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return fault;
}
