import { OVER_BUDGET, spend, stepsOfParts } from './budget.ts';
import { check } from './check.ts';
import { compileNode, type Patterns } from './evaluate.ts';
import type {
  Activation,
  Budget,
  Compilation,
  Evaluation,
  ExpressionError,
  Program,
} from './expression.ts';
import type { Evaluator } from './frame.ts';
import { leastSteps } from './least-steps.ts';
import { countNodes } from './node.ts';
import { failure, toEvaluation } from './output.ts';
import { parse } from './parse.ts';
import { MAX_STEPS } from './prices.ts';
import { patternBytes } from './regex.ts';
import { formatType } from './static-type.ts';
import { errorAt } from './syntax-fault.ts';

function evaluator(evaluate: Evaluator, parts: number): Program['evaluate'] {
  const steps = stepsOfParts(parts);
  return (activation: Activation, budget: Budget): Evaluation => {
    if (budget.exceeded || !spend(budget, steps)) return failure(OVER_BUDGET.text);
    try {
      return toEvaluation(evaluate({ activation, budget, locals: [] }), budget);
    } catch (error) {
      // What is called where the stack is nearly full can exhaust it, and nothing else throws.
      return failure(`evaluation failed: ${(error as Error).message}`);
    }
  };
}

/** What a program takes in memory, measured, beside its parts and patterns; and each of its parts, and of its characters. */
const PROGRAM_BYTES = 1_000;
const PART_BYTES = 150;
const CHARACTER_BYTES = 2;

function programBytes(of: {
  readonly text: string;
  readonly parts: number;
  readonly patterns: Patterns;
}): number {
  const { text, parts, patterns } = of;
  let bytes = PROGRAM_BYTES + text.length * CHARACTER_BYTES + parts * PART_BYTES;
  for (const pattern of patterns.values()) bytes += patternBytes(pattern);
  return bytes;
}

function tooExpensive(steps: number): Pick<ExpressionError, 'code' | 'message'> {
  const least = `takes at least ${Math.ceil(steps)} steps, whatever the data`;
  return { code: 'too-expensive', message: `${least}; a row has ${MAX_STEPS}` };
}

/**
 * Parses, checks and compiles a text. The result is the same for the same text; {@link createCompiler} keeps it.
 * Errors of the syntax come alone; of the check all are given.
 */
export function compile(text: string): Compilation {
  const parsed = parse(text);
  if (!parsed.ok) return { ok: false, errors: [parsed.error] };
  const checked = check(parsed.node);
  if (checked.errors.length > 0) {
    return {
      ok: false,
      errors: checked.errors.map(({ at, ...error }) => errorAt(text, at, error)),
    };
  }
  const { patterns, patternsSize } = checked;
  const { least, expensive } = leastSteps(parsed.node, patterns);
  if (expensive) {
    const { at, steps } = expensive;
    return { ok: false, errors: [errorAt(text, at, tooExpensive(steps))] };
  }
  const parts = countNodes(parsed.node);
  const program: Program = {
    text,
    type: formatType(checked.type),
    variables: checked.variables,
    leastSteps: least,
    patternsSize,
    bytes: programBytes({ text, parts, patterns }),
    evaluate: evaluator(compileNode(parsed.node, patterns), parts),
  };
  return { ok: true, program };
}

/** How many texts a compiler keeps compiled unless told otherwise. */
const DEFAULT_CAPACITY = 500;

/** What the texts may take in memory that a compiler keeps compiled. */
const BYTES_KEPT = 16 * 1024 * 1024;

function bytesOf(compilation: Compilation): number {
  return compilation.ok ? compilation.program.bytes : 0;
}

/**
 * Makes a {@link compile} that keeps the compilations of the texts used last, at most `capacity` (500) of them and those
 * that take no more than 16 MiB together, so that each text is compiled once.
 */
export function createCompiler(
  options: { readonly capacity?: number } = {},
): (text: string) => Compilation {
  const { capacity = DEFAULT_CAPACITY } = options;
  const compilations = new Map<string, Compilation>();
  let bytes = 0;
  return (text) => {
    const known = compilations.get(text);
    const compilation = known ?? compile(text);
    if (!known) bytes += bytesOf(compilation);
    // A map lists its keys in the order of insertion: the first is the one not used for longest.
    compilations.delete(text);
    compilations.set(text, compilation);
    for (const [oldest, unused] of compilations) {
      if (compilations.size <= capacity && bytes <= BYTES_KEPT) break;
      compilations.delete(oldest);
      bytes -= bytesOf(unused);
    }
    return compilation;
  };
}
