import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { Labels } from '#shared/core/labels.ts';

/** The four variables of a StatusCollector expression. */
export const VARIABLES = ['inventory', 'obj', 'returned', 'propagation'] as const;
/** The variable of the expressions of notification rules. */
export const EVENT_VARIABLES = ['event'] as const;
/** A variable of expressions. */
export type Variable = (typeof VARIABLES)[number] | (typeof EVENT_VARIABLES)[number];

/**
 * The members of the variables that have a fixed set of members. No row has any other member. An expression may use one
 * only after it has asked with `has` or `in`.
 */
export const VARIABLE_MEMBERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['inventory', new Set(['name', 'labels', 'annotations'])],
  [
    'propagation',
    new Set(['lastReturnedUpdateTimestamp', 'stale', 'silent', 'lastContact', 'generation']),
  ],
]);

/**
 * What an expression may read about a WEC that is in no row. `inventory`: its labels and annotations. `silence`: whether it is
 * silent, and since when.
 */
export type WecFact = 'inventory' | 'silence';

/** The members that are known from the WEC's name and row alone, and what the other members of the variable read. */
export const FACT_MEMBERS: ReadonlyMap<
  Variable,
  { readonly fact: WecFact; readonly without: ReadonlySet<string> }
> = new Map([
  ['inventory', { fact: 'inventory', without: new Set(['name']) }],
  [
    'propagation',
    {
      fact: 'silence',
      without: new Set(['lastReturnedUpdateTimestamp', 'stale', 'generation']),
    },
  ],
]);

/** Why an expression cannot be used. Lines and columns count from 1, in code points. */
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

/** How far a WEC is with the workload object. If a member is absent, the expression finds no such key. */
export interface PropagationMembers {
  /** `propagation.stale` (docs/architecture.md, section 9.9). */
  readonly stale: boolean;
  /** Whether the WEC has been silent for longer than its limit. */
  readonly silent: boolean;
  /** The last contact of a silent WEC, RFC 3339. Absent if the WEC is not silent. */
  readonly lastContact: string;
  /** The generation of the WDS object that the WEC has applied. */
  readonly generation: number;
}

/** The input of an evaluation: one row of the PerWEC table. */
export interface Activation {
  /** `inventory.name` is the name of the WEC. If there are no labels or annotations, the expression finds no such key. */
  readonly inventory: {
    readonly name: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  /** The workload object from the WDS, without `.status`. */
  readonly obj: JsonObject;
  /**
   * The value of `returned.status`, or `{}` if the WEC has returned nothing. The variable `returned` is built from it.
   */
  readonly returned: JsonObject;
  /** The values of `returned.spec` and `returned.metadata`. If absent, the expression finds no such key. */
  readonly returnedSpec?: JsonValue;
  readonly returnedMetadata?: JsonObject;
  readonly propagation: {
    /** RFC 3339 time of the last update of the returned state. If absent, 1970-01-01T00:00:00Z. */
    readonly lastReturnedUpdateTimestamp?: string;
  } & Partial<PropagationMembers>;
  /** The CloudEvent that a notification rule is about. Absent for a row. */
  readonly event?: JsonObject;
}

/**
 * The value of an expression. `int` covers CEL's `int` and `uint`. A timestamp is its RFC 3339 text, a duration is its
 * text in seconds (`1.5s`), bytes are their base64 text, and a type is its name.
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
 * The work, in steps, that is left to the evaluations that share this budget. Fractions count. `prices.ts` defines what
 * steps pay for. A step takes at most two microseconds and some hundred bytes. Once `exceeded` is true, it stays true:
 * every later evaluation with this budget fails, even if `||` or `exists` would have absorbed the error.
 */
export interface Budget {
  remaining: number;
  exceeded: boolean;
}

/** The fewest steps that an evaluation takes with any data. */
export interface LeastSteps {
  /** The fewest steps of an evaluation that returns a value. */
  readonly value: number;
  /**
   * The fewest steps of an evaluation that fails for another reason than its budget. Infinite if no evaluation does.
   */
  readonly failure: number;
}

/** A compiled expression: immutable, reusable, free of I/O. */
export interface Program {
  readonly text: string;
  /** The static type, in CEL's spelling (`bool`, `int`, `dyn`, `list(string)`, ...). */
  readonly type: string;
  /** The variables that the expression mentions. */
  readonly variables: ReadonlySet<Variable>;
  /** What the expression may read about a WEC that is in no row. */
  readonly facts: ReadonlySet<WecFact>;
  readonly leastSteps: LeastSteps;
  /** How much of `MAX_PATTERNS_SIZE` its constant patterns take. All expressions of a collector share that size. */
  readonly patternsSize: number;
  /** About how much memory it takes at most, with its patterns. */
  readonly bytes: number;
  /**
   * Evaluates the expression on one row. Never throws. Never returns a value that was made after the budget was
   * exceeded.
   */
  evaluate(activation: Activation, budget: Budget): Evaluation;
}

/** A program, or the errors of the text. */
export type Compilation =
  | { readonly ok: true; readonly program: Program }
  | {
      readonly ok: false;
      readonly errors: readonly ExpressionError[];
      /** How much of `MAX_PATTERNS_SIZE` the constant patterns take that were compiled before the errors were known. */
      readonly patternsSize: number;
    };
