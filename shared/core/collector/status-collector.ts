import { MAX_ERRORS } from '#shared/core/error-list.ts';
import { compile } from '#shared/core/expression/compile.ts';
import type { Compilation, LeastSteps, Program } from '#shared/core/expression/expression.ts';
import { translateOperators } from '#shared/core/expression/operator-expression.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { CollectorPrices } from './collector-prices.ts';
import {
  type CollectorSpec,
  type Expression,
  type NamedAggregator,
  type NamedExpression,
  readCollectorSpec,
} from './collector-spec.ts';
import type { CombinedField, CompiledCollector, CompiledColumn } from './compiled-collector.ts';
import { CONSTANT, filterType, REMEDIES, withRemedy } from './messages.ts';

/** A collector that can be used, or the errors of its spec as texts for `status.errors`. */
export type CollectorCompilation =
  | { readonly ok: true; readonly collector: CompiledCollector }
  | { readonly ok: false; readonly errors: readonly string[] };

/** The static types that a filter may have. `dyn` is checked only at run time. */
const FILTER_TYPES: ReadonlySet<string> = new Set(['bool', 'dyn', 'null']);

/** The steps of an expression that is checked but not evaluated. */
const NO_STEPS: LeastSteps = { value: 0, failure: 0 };

type Compile = (text: string) => Compilation;

/**
 * Compiles the `spec` of a StatusCollector, whose expressions are CEL or in the older form. If there are structural
 * errors, only those are returned. Otherwise, the errors of all expressions are, each with its field, its position and
 * a remedy. The texts are for `status.errors`.
 *
 * @param compileText compiles one expression; `createCompiler` makes a function that keeps its compilations
 */
export function compileStatusCollector(
  spec: JsonValue | undefined,
  compileText: Compile = compile,
): CollectorCompilation {
  const reading = readCollectorSpec(spec);
  if (!reading.ok) return reading;
  const compiler = new SpecCompiler(compileText);
  const collector = compileSpec(reading.spec, compiler);
  return compiler.errors.length > 0
    ? { ok: false, errors: compiler.errors }
    : { ok: true, collector };
}

/** Compiles the expressions of one spec and keeps their errors. */
class SpecCompiler {
  readonly errors: string[] = [];
  readonly #compile: Compile;
  readonly #prices = new CollectorPrices();

  constructor(compileText: Compile) {
    this.#compile = compileText;
  }

  /**
   * Whether no more expressions are compiled: those before were too expensive, which is reported once, or they have as
   * many errors as a status lists. So an invalid spec takes no longer than a valid one.
   */
  get #isOver(): boolean {
    return this.#prices.exceeded || this.errors.length >= MAX_ERRORS;
  }

  /** The program of an expression, or `undefined` if it cannot be used, which is then reported in `errors`. */
  program(path: string, expression: Expression): Program | undefined {
    if (this.#isOver) return undefined;
    const program = this.#program(path, expression);
    return program && this.#affords(path, program) ? program : undefined;
  }

  #program(path: string, expression: Expression): Program | undefined {
    if (typeof expression === 'string') return this.#text(path, expression);
    const text = translateOperators(expression, path, {
      error: (error) => this.errors.push(error),
      isCel: (field, cel) => this.#isCel(field, cel),
    });
    if (text === undefined) return undefined;
    const compilation = this.#compile(text);
    if (compilation.ok) return compilation.program;
    // The user has never seen the translated text, so lines and columns in it would not help.
    for (const error of compilation.errors)
      this.errors.push(`${path}, as CEL: ${withRemedy(error)}`);
    this.#report(path, this.#prices.addFailed(compilation.patternsSize));
    return undefined;
  }

  filter(path: string, expression: Expression): Program | undefined {
    const program = this.program(path, expression);
    if (program === undefined || FILTER_TYPES.has(program.type)) return program;
    const location = typeof expression === 'string' ? `${path}, line 1, column 1` : path;
    this.errors.push(`${location}: ${filterType(program.type)}`);
    return undefined;
  }

  columns(expressions: readonly NamedExpression[]): readonly CompiledColumn[] {
    return expressions.flatMap(({ name, def, field }) => {
      const program = this.program(field, def);
      return program === undefined ? [] : [{ name, program }];
    });
  }

  fields(path: string, aggregators: readonly NamedAggregator[]): readonly CombinedField[] {
    return aggregators.map(({ name, type, subject: text }, index) => {
      const subject =
        text === undefined ? undefined : this.program(`${path}[${index}].subject`, text);
      return { name, type, ...(subject !== undefined && { subject }) };
    });
  }

  /** Whether a text among the arguments of the older form is CEL. Its patterns are compiled, so they count. */
  #isCel(field: string, text: string): boolean {
    if (this.#isOver) return false;
    const program = this.#text(field, text, CONSTANT);
    return program !== undefined && this.#affords(field, { ...program, leastSteps: NO_STEPS });
  }

  #affords(path: string, program: Pick<Program, 'leastSteps' | 'patternsSize'>): boolean {
    return !this.#report(path, this.#prices.add(program));
  }

  /** Reports that the expressions up to this one are too expensive, if they are. */
  #report(path: string, problem: string | undefined): boolean {
    if (problem === undefined) return false;
    this.errors.push(`${path}: ${problem}; ${REMEDIES['too-expensive']}`);
    return true;
  }

  #text(path: string, text: string, remark = ''): Program | undefined {
    const compilation = this.#compile(text);
    if (compilation.ok) return compilation.program;
    for (const error of compilation.errors) {
      const location = `${path}, line ${error.line}, column ${error.column}`;
      this.errors.push(`${location}: ${withRemedy(error)}${remark}`);
    }
    this.#report(path, this.#prices.addFailed(compilation.patternsSize));
    return undefined;
  }
}

function compileSpec(spec: CollectorSpec, compiler: SpecCompiler): CompiledCollector {
  const filter =
    spec.filter === undefined ? undefined : compiler.filter('spec.filter', spec.filter);
  const base = { limit: spec.limit, ...(filter !== undefined && { filter }) };
  if (spec.select.length > 0)
    return { ...base, kind: 'select', columns: compiler.columns(spec.select) };
  return {
    ...base,
    kind: 'aggregate',
    groupBy: compiler.columns(spec.groupBy),
    combinedFields: compiler.fields('spec.combinedFields', spec.combinedFields),
  };
}
