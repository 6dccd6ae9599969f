import { toTimestampValue } from './conversion.ts';
import type { Activation, Budget, Variable } from './expression.ts';
import { CelError, Dictionary, Timestamp, type Value } from './value.ts';

/** What one evaluation works on. */
export interface Frame {
  readonly activation: Activation;
  readonly budget: Budget;
  /** The values of the loop variables, by how deep their loops are nested. */
  readonly locals: Value[];
  /** The value of `propagation`, once it was asked for: its time is read from text. */
  propagation?: Value;
}

/** An expression as a function. It gives a {@link CelError} for a run-time error. */
export type Evaluator = (frame: Frame) => Value;

const EPOCH = new Timestamp(0n, 0);

function readPropagation({ activation }: Frame): Value {
  const { lastReturnedUpdateTimestamp: text, stale } = activation.propagation;
  const time = text === undefined ? EPOCH : toTimestampValue(text);
  if (time instanceof CelError) return time;
  const members = { lastReturnedUpdateTimestamp: time, ...(stale === undefined ? {} : { stale }) };
  return new Dictionary(
    new Map(Object.entries(members).map(([key, value]) => [key, [key, value] as const])),
  );
}

/** How the variables of an expression are read. */
export const VARIABLE_EVALUATORS: Readonly<Record<Variable, Evaluator>> = {
  inventory: ({ activation }) => activation.inventory,
  obj: ({ activation }) => activation.obj,
  returned: ({ activation }) => ({ status: activation.returned }),
  propagation: (frame) => {
    frame.propagation ??= readPropagation(frame);
    return frame.propagation;
  },
};
