import { compile } from '#shared/core/expression/compile.ts';
import type { Compilation, ExpressionError, Program } from '#shared/core/expression/expression.ts';
import type { JsonValue } from '#shared/core/json.ts';
import {
  type CollectorSpec,
  type NamedAggregator,
  type NamedExpression,
  readCollectorSpec,
} from './collector-spec.ts';
import type { CombinedField, CompiledCollector, CompiledColumn } from './compiled-collector.ts';

export type CollectorCompilation =
  | { readonly ok: true; readonly collector: CompiledCollector }
  | { readonly ok: false; readonly errors: readonly string[] };

/** What to do about an expression that cannot be used. */
const REMEDIES: Readonly<Record<ExpressionError['code'], string>> = {
  'too-long': 'shorten the expression',
  'too-deep': 'nest less deeply',
  syntax: 'write an expression of the Common Expression Language, such as returned.status.phase',
  type: 'convert one side, or compare values of the same type',
  pattern: 'write a pattern in RE2 syntax, which has no lookaround and no backreferences',
  'undeclared-reference': 'use the variables inventory, obj, returned and propagation',
};

/** The static types that a filter may have; `dyn` is known at run time only. */
const FILTER_TYPES: ReadonlySet<string> = new Set(['bool', 'dyn', 'null']);

type Compile = (text: string) => Compilation;

/**
 * Compiles the `spec` of a StatusCollector. Structural errors are told first and alone; then the errors of all
 * expressions, each with its field, its position and a remedy. The texts are for `status.errors`.
 *
 * @param compileText compiles one expression; `createCompiler` gives one that keeps what it compiled
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

  constructor(compileText: Compile) {
    this.#compile = compileText;
  }

  /** The program of an expression; `undefined` where it cannot be used, which is then told in `errors`. */
  program(path: string, text: string): Program | undefined {
    const compilation = this.#compile(text);
    if (compilation.ok) return compilation.program;
    for (const { code, message, line, column } of compilation.errors)
      this.errors.push(`${path}, line ${line}, column ${column}: ${message}; ${REMEDIES[code]}`);
    return undefined;
  }

  filter(path: string, text: string): Program | undefined {
    const program = this.program(path, text);
    if (program === undefined || FILTER_TYPES.has(program.type)) return program;
    const problem = `the filter is of type ${program.type}; make it a bool, such as a comparison`;
    this.errors.push(`${path}, line 1, column 1: ${problem}`);
    return undefined;
  }

  columns(path: string, expressions: readonly NamedExpression[]): readonly CompiledColumn[] {
    return expressions.flatMap(({ name, def }, index) => {
      const program = this.program(`${path}[${index}].def`, def);
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
}

function compileSpec(spec: CollectorSpec, compiler: SpecCompiler): CompiledCollector {
  const filter =
    spec.filter === undefined ? undefined : compiler.filter('spec.filter', spec.filter);
  const base = { limit: spec.limit, ...(filter !== undefined && { filter }) };
  if (spec.select.length > 0)
    return { ...base, kind: 'select', columns: compiler.columns('spec.select', spec.select) };
  return {
    ...base,
    kind: 'aggregate',
    groupBy: compiler.columns('spec.groupBy', spec.groupBy),
    combinedFields: compiler.fields('spec.combinedFields', spec.combinedFields),
  };
}
