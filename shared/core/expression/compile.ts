import { OVER_BUDGET } from './budget.ts';
import { check } from './check.ts';
import { compileNode } from './evaluate.ts';
import type { Activation, Budget, Compilation, Evaluation, Program } from './expression.ts';
import type { Evaluator } from './frame.ts';
import { toEvaluation } from './output.ts';
import { parse } from './parse.ts';
import { formatType } from './static-type.ts';
import { errorAt } from './syntax-fault.ts';

function run(evaluator: Evaluator, activation: Activation, budget: Budget): Evaluation {
  if (budget.exceeded) return { ok: false, error: OVER_BUDGET.text };
  try {
    return toEvaluation(evaluator({ activation, budget, locals: [] }), budget);
  } catch (error) {
    // A document nested thousands of levels deep can exhaust the stack, and nothing else throws.
    return { ok: false, error: `evaluation failed: ${(error as Error).message}` };
  }
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
  const evaluator = compileNode(parsed.node);
  const program: Program = {
    text,
    type: formatType(checked.type),
    variables: checked.variables,
    evaluate: (activation, budget) => run(evaluator, activation, budget),
  };
  return { ok: true, program };
}

/** How many texts a compiler keeps compiled unless told otherwise. */
const DEFAULT_CAPACITY = 500;

/**
 * Makes a {@link compile} that keeps the compilations of the texts used last, at most `capacity` (500) of them, so that
 * each text is compiled once.
 */
export function createCompiler(
  options: { readonly capacity?: number } = {},
): (text: string) => Compilation {
  const { capacity = DEFAULT_CAPACITY } = options;
  const compilations = new Map<string, Compilation>();
  return (text) => {
    const compilation = compilations.get(text) ?? compile(text);
    // A map lists its keys in the order of insertion: the first is the one not used for longest.
    compilations.delete(text);
    compilations.set(text, compilation);
    const [oldest] = compilations.keys();
    if (compilations.size > capacity && oldest !== undefined) compilations.delete(oldest);
    return compilation;
  };
}
