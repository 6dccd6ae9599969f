import { MAX_ERRORS } from '#shared/core/error-list.ts';
import { OVER_BUDGET, spend, stepsOfParts } from './budget.ts';
import { check } from './check.ts';
import { compileNode, type Patterns } from './evaluate.ts';
import {
  type Activation,
  type Budget,
  type Compilation,
  type Evaluation,
  type ExpressionError,
  type Program,
  VARIABLES,
  type Variable,
} from './expression.ts';
import type { Evaluator } from './frame.ts';
import { leastSteps } from './least-steps.ts';
import { expensiveExpression } from './messages.ts';
import { countNodes } from './node.ts';
import { failure, toEvaluation } from './output.ts';
import { parse } from './parse.ts';
import { MAX_STEPS, PATTERN_OVERHEAD } from './prices.ts';
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
      // Only exhaustion of the stack can throw here, if the stack is nearly full at the call.
      return failure(`evaluation failed: ${(error as Error).message}`);
    }
  };
}

/** The measured memory of a program without its parts and patterns, of each part, and of each character. */
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
  return { code: 'too-expensive', message: expensiveExpression(Math.ceil(steps), MAX_STEPS) };
}

/** How much of `MAX_PATTERNS_SIZE` patterns take that were compiled, valid or not. */
function compiledSize(patterns: Patterns): number {
  return [...patterns.values()].reduce((sum, { size }) => sum + size + PATTERN_OVERHEAD, 0);
}

/**
 * Parses, checks and compiles a text. The same text always gives the same result, which {@link createCompiler} keeps.
 * If the syntax is wrong, only its errors are returned. Otherwise, those of the check are, at most 100.
 *
 * @param variables the declared variables, by default those of a StatusCollector
 */
export function compile(text: string, variables: readonly Variable[] = VARIABLES): Compilation {
  const parsed = parse(text);
  if (!parsed.ok) return { ok: false, errors: [parsed.error], patternsSize: 0 };
  const checked = check(parsed.node, undefined, variables);
  if (checked.errors.length > 0) {
    return {
      ok: false,
      errors: checked.errors
        .slice(0, MAX_ERRORS)
        .map(({ at, ...error }) => errorAt(text, at, error)),
      patternsSize: compiledSize(checked.patterns),
    };
  }
  const { patterns, patternsSize } = checked;
  const { least, expensive } = leastSteps(parsed.node, patterns);
  if (expensive) {
    const { at, steps } = expensive;
    return { ok: false, errors: [errorAt(text, at, tooExpensive(steps))], patternsSize };
  }
  const parts = countNodes(parsed.node);
  const program: Program = {
    text,
    type: formatType(checked.type),
    variables: checked.variables,
    facts: checked.facts,
    leastSteps: least,
    patternsSize,
    bytes: programBytes({ text, parts, patterns }),
    evaluate: evaluator(compileNode(parsed.node, patterns), parts),
  };
  return { ok: true, program };
}

/** How many compiled texts a compiler keeps by default. */
const DEFAULT_CAPACITY = 500;

/** How much memory the compiled texts of a compiler may take. */
const BYTES_KEPT = 16 * 1024 * 1024;

function bytesOf(compilation: Compilation): number {
  return compilation.ok ? compilation.program.bytes : 0;
}

/**
 * Makes a {@link compile} that keeps the compilations of the most recently used texts: at most `capacity` (500), and at
 * most 16 MiB together. A text that is kept is not compiled again.
 */
export function createCompiler(
  options: { readonly capacity?: number } = {},
): (text: string) => Compilation {
  const { capacity = DEFAULT_CAPACITY } = options;
  const compilations = new Map<string, Compilation>();
  let bytes = 0;
  return (text) => {
    const cached = compilations.get(text);
    const compilation = cached ?? compile(text);
    if (!cached) bytes += bytesOf(compilation);
    // A map lists its keys in the order of insertion, so the first one is the least recently used.
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
