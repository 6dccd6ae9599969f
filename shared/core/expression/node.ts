import type { Value } from './value.ts';

/** `map` and `filter` are both `collect`: the values of a transform for the elements for which a predicate holds. */
export type Loop = 'all' | 'exists' | 'exists_one' | 'collect';

interface Located {
  /** Offset in the text, in UTF-16 units. */
  readonly at: number;
}

/** A loop over a list or over the keys of a map. Only `collect` has a `transform`. */
export interface Comprehension extends Located {
  readonly kind: 'comprehension';
  readonly loop: Loop;
  readonly range: Node;
  readonly variable: string;
  readonly predicate: Node;
  readonly transform?: Node;
}

/** An expression with expanded macros. Operators are calls of functions that are named as in cel-go (`_+_`, `_[_]`). */
export type Node =
  | (Located & { readonly kind: 'literal'; readonly value: Value })
  | (Located & { readonly kind: 'ident'; readonly name: string })
  | (Located & {
      readonly kind: 'select';
      readonly operand: Node;
      readonly field: string;
      /** True for `has(operand.field)`. */
      readonly test: boolean;
    })
  | (Located & {
      readonly kind: 'call';
      readonly name: string;
      readonly target?: Node;
      readonly args: readonly Node[];
    })
  | (Located & { readonly kind: 'list'; readonly items: readonly Node[] })
  | (Located & { readonly kind: 'map'; readonly entries: readonly (readonly [Node, Node])[] })
  | (Located & {
      readonly kind: 'logic';
      readonly name: '_&&_' | '_||_';
      readonly args: readonly Node[];
    })
  | Comprehension;

/**
 * The constant text of a part of an expression: a literal, a literal inside `dyn` or `string`, or a sum of such texts.
 */
function constantText(node: Node): string | undefined {
  if (node.kind === 'literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.kind !== 'call') return undefined;
  const [first, second] = node.args.map(constantText);
  if (first === undefined) return undefined;
  if (node.name === '_+_') return second === undefined ? undefined : first + second;
  return node.name === 'dyn' || node.name === 'string' ? first : undefined;
}

/** The pattern of a call of `matches` if the pattern is constant, otherwise `undefined`. */
export function constantPattern(node: Extract<Node, { kind: 'call' }>): string | undefined {
  const last = node.args.at(-1);
  return node.name === 'matches' && last ? constantText(last) : undefined;
}

/** The parts of which an expression is made directly. */
export function children(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [node.operand];
    case 'call':
      return node.target ? [node.target, ...node.args] : node.args;
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flat();
    case 'logic':
      return node.args;
    case 'comprehension':
      return [node.range, node.predicate, ...(node.transform ? [node.transform] : [])];
  }
}

/** The number of parts of an expression: the expression itself, and the parts of its operands. */
export function countNodes(node: Node): number {
  return children(node).reduce((sum, child) => sum + countNodes(child), 1);
}
