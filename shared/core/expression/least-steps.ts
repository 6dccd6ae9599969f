import { stepsOfParts } from './budget.ts';
import { stepsOfIteration } from './evaluate.ts';
import type { LeastSteps } from './expression.ts';
import { type Comprehension, countNodes, type Node } from './node.ts';
import { MAX_STEPS, STEPS_PER_CALL, UNITS_PER_STEP } from './prices.ts';
import type { Pattern } from './regex.ts';
import { isNamedZone } from './time-zone.ts';

type Call = Extract<Node, { kind: 'call' }>;

/** A part that takes more steps than a row has: its offset in the text, and its steps. */
export interface ExpensivePart {
  readonly at: number;
  readonly steps: number;
}

const NEVER = Number.POSITIVE_INFINITY;
/** Literals and variables have no cost of their own. */
const FREE: LeastSteps = { value: 0, failure: NEVER };
const CALENDAR = /^get/;

/** The fewest steps until there is a value or an error. */
function either({ value, failure }: LeastSteps): number {
  return Math.min(value, failure);
}

/** Parts that are evaluated one after the other until one of them fails, followed by `more` steps. */
function sequence(parts: readonly LeastSteps[], more = 0): LeastSteps {
  let value = 0;
  let failure = NEVER;
  for (const part of parts) {
    failure = Math.min(failure, value + part.failure);
    value += part.value;
  }
  return { value: value + more, failure };
}

/**
 * Like {@link sequence}, for an operation whose operands may have unsuitable types: it may fail as soon as it has them.
 */
function operation(parts: readonly LeastSteps[], more = 0): LeastSteps {
  const { value, failure } = sequence(parts);
  return { value: value + more, failure: Math.min(value, failure) };
}

/** Finds the fewest steps of each part of an expression. Whatever depends on data counts as little as possible. */
class LeastStepsFinder {
  readonly #patterns: ReadonlyMap<Node, Pattern>;
  /** The first part that takes more steps than a row has. Of nested parts, this is the innermost. */
  expensive: ExpensivePart | undefined;

  constructor(patterns: ReadonlyMap<Node, Pattern>) {
    this.#patterns = patterns;
  }

  of(node: Node): LeastSteps {
    const least = this.#of(node);
    if (least.value > MAX_STEPS) this.expensive ??= { at: node.at, steps: least.value };
    return least;
  }

  #of(node: Node): LeastSteps {
    switch (node.kind) {
      case 'literal':
      case 'ident':
        // The time of `propagation` may be invalid.
        return node.kind === 'ident' ? { value: 0, failure: 0 } : FREE;
      case 'select':
        return operation([this.of(node.operand)]);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#built(node.items, node.items.length);
      case 'map':
        return operation([this.#built(node.entries.flat(), node.entries.length)]);
      case 'logic': {
        // Any operand may decide, even after others have failed. Only the first one is always evaluated.
        const least = either(sequence(node.args.map((arg) => this.of(arg)).slice(0, 1)));
        return { value: least, failure: least };
      }
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  /** A new list or map is paid for before its parts. */
  #built(nodes: readonly Node[], elements: number): LeastSteps {
    const steps = elements / UNITS_PER_STEP.elementsWritten;
    return sequence([{ value: steps, failure: NEVER }, ...nodes.map((node) => this.of(node))]);
  }

  #call(node: Call): LeastSteps {
    const parts = [...(node.target ? [node.target] : []), ...node.args];
    const least = parts.map((part) => this.of(part));
    if (node.name !== '_?_:_') return operation(least.slice(0, 2), this.#ownSteps(node, parts));
    const branches = least.slice(1).map(({ value }) => value);
    return sequence([...least.slice(0, 1), { value: Math.min(...branches), failure: 0 }]);
  }

  /** The steps of the call itself. */
  #ownSteps(node: Call, [first, second]: readonly Node[]): number {
    const pattern = this.#patterns.get(node);
    if (pattern) {
      const text = first?.kind === 'literal' ? String(first.value).length : 0;
      return STEPS_PER_CALL.match + ((text + 1) * pattern.size) / UNITS_PER_STEP.matching;
    }
    if (!CALENDAR.test(node.name)) return 0;
    const zone = second?.kind === 'literal' ? String(second.value) : '';
    return isNamedZone(zone) ? STEPS_PER_CALL.zone : STEPS_PER_CALL.calendar;
  }

  #comprehension(node: Comprehension): LeastSteps {
    const range = this.of(node.range);
    const predicate = this.of(node.predicate);
    const transform = node.transform ? this.of(node.transform) : FREE;
    const iteration = stepsOfIteration(node);
    const size = leastSize(node.range);
    const once = size > 0 ? iteration + either(predicate) : 0;
    const body = predicate.value + (isTrue(node.predicate) ? transform.value : 0);
    // These loops end with the first element that decides.
    const decides = node.loop === 'all' || node.loop === 'exists';
    const steps = decides ? once : size * (iteration + body);
    return { value: range.value + steps, failure: either(range) };
  }
}

function isTrue(node: Node): boolean {
  return node.kind === 'literal' && node.value === true;
}

/** The fewest elements of a part that is a list or map. 0 if the number depends on data. */
function leastSize(node: Node): number {
  switch (node.kind) {
    case 'list':
      return node.items.length;
    case 'map':
      return Math.min(node.entries.length, 1);
    case 'comprehension':
      return node.loop === 'collect' && isTrue(node.predicate) ? leastSize(node.range) : 0;
    case 'call':
      return leastSizeOfCall(node);
    default:
      return 0;
  }
}

function leastSizeOfCall({ name, args }: Call): number {
  const [first = 0, second = 0, third = 0] = args.map(leastSize);
  if (name === '_+_') return first + second;
  return name === '_?_:_' ? Math.min(second, third) : name === 'dyn' ? first : 0;
}

/**
 * The fewest steps of an evaluation with any data, and the part that takes more steps than a row has, so that no row
 * can be evaluated. If the steps depend on data, the lowest number counts: an expression that can be evaluated with
 * some data is never called too expensive.
 */
export function leastSteps(
  node: Node,
  patterns: ReadonlyMap<Node, Pattern>,
): { readonly least: LeastSteps; readonly expensive: ExpensivePart | undefined } {
  const finder = new LeastStepsFinder(patterns);
  const found = finder.of(node);
  const own = stepsOfParts(countNodes(node));
  const least = { value: own + found.value, failure: own + found.failure };
  return { least, expensive: finder.expensive };
}
