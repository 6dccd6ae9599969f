import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** The four variables of a StatusCollector expression. */
export const VARIABLES = ['inventory', 'obj', 'returned', 'propagation'] as const;
/** A variable of expressions. */
export type Variable = (typeof VARIABLES)[number];

/**
 * The members of the variables that have a fixed set of them. An expression that asks for another one finds nothing in any
 * row, unless it asks with `has` or `in` first.
 */
export const VARIABLE_MEMBERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['inventory', new Set(['name'])],
  ['propagation', new Set(['lastReturnedUpdateTimestamp', 'stale'])],
]);

/** Why an expression cannot be used. Lines and columns are 1-based and count code points. */
export interface ExpressionError {
  readonly code:
    | 'too-long'
    | 'too-deep'
    | 'too-expensive'
    | 'syntax'
    | 'type'
    | 'pattern'
    | 'undeclared-reference'
    | 'unknown-member';
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** What an expression is evaluated on: one row of the PerWEC table. */
export interface Activation {
  /** `inventory.name` is the name of the WEC. */
  readonly inventory: { readonly name: string };
  /** The workload object from the WDS, without `.status`. */
  readonly obj: JsonObject;
  /** The value of `returned.status`; `{}` for a WEC that has returned nothing. The variable `returned` is built around it. */
  readonly returned: JsonObject;
  readonly propagation: {
    /** RFC 3339 time of the last update of the returned state; absent: 1970-01-01T00:00:00Z. */
    readonly lastReturnedUpdateTimestamp?: string;
    /** `propagation.stale` (docs/architecture.md, section 9.9); absent: the expression finds no such key. */
    readonly stale?: boolean;
  };
}

/**
 * What an expression gave. `int` covers CEL's `int` and `uint`; a timestamp is its RFC 3339 text, a duration its text
 * in seconds (`1.5s`), bytes their base64 text, a type its name.
 */
export type ExpressionValue =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'list'; readonly value: readonly JsonValue[] }
  | { readonly type: 'map'; readonly value: JsonObject };

/** The result of one evaluation: a value, or the text of a run-time error in cel-go's words. */
export type Evaluation =
  | { readonly ok: true; readonly value: ExpressionValue }
  | { readonly ok: false; readonly error: string };

/**
 * The work that the evaluations sharing it may still do, in steps; `prices.ts` says what they pay for (fractions count).
 * A step takes at most two microseconds and some hundred bytes. Once `exceeded` it stays so: every later evaluation on it
 * is an error, whatever `||` or `exists` would have absorbed.
 */
export interface Budget {
  remaining: number;
  exceeded: boolean;
}

/** The fewest steps that an evaluation takes, whatever the data. */
export interface LeastSteps {
  /** Of one that gives a value. */
  readonly value: number;
  /** Of one that fails otherwise than by its budget; infinite where none does. */
  readonly failure: number;
}

/** A compiled expression: immutable, reusable, free of I/O. */
export interface Program {
  readonly text: string;
  /** The static type, in CEL's spelling (`bool`, `int`, `dyn`, `list(string)`, ...). */
  readonly type: string;
  /** The variables that the expression mentions. */
  readonly variables: ReadonlySet<Variable>;
  readonly leastSteps: LeastSteps;
  /** What its constant patterns take of `MAX_PATTERNS_SIZE`, which is for all expressions of a collector together. */
  readonly patternsSize: number;
  /** What it takes in memory at most, about, with its patterns. */
  readonly bytes: number;
  /** Evaluates on one row. Never throws; never returns a value made after the budget was exceeded. */
  evaluate(activation: Activation, budget: Budget): Evaluation;
}

/** A program, or why there is none. */
export type Compilation =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly errors: readonly ExpressionError[] };
