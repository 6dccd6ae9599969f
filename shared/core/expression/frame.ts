import type { JsonObject } from '#shared/core/json.ts';
import { toTimestampValue } from './conversion.ts';
import type { Activation, Budget, Variable } from './expression.ts';
import { CelError, Dictionary, Timestamp, type Value } from './value.ts';

/** The state of one evaluation. */
export interface Frame {
  readonly activation: Activation;
  readonly budget: Budget;
  /** The values of the loop variables, by the nesting depth of their loops. */
  readonly locals: Value[];
  /** The value of `propagation`, set when it is first used, because its time is parsed from text. */
  propagation?: Value;
}

/** An expression as a function. It returns a {@link CelError} if it fails at run time. */
export type Evaluator = (frame: Frame) => Value;

const EPOCH = new Timestamp(0n, 0);

function timeOf(text: string | undefined): Value {
  return text === undefined ? EPOCH : toTimestampValue(text);
}

function readPropagation({ activation }: Frame): Value {
  const { lastReturnedUpdateTimestamp, lastContact, generation, ...others } =
    activation.propagation;
  const updated = timeOf(lastReturnedUpdateTimestamp);
  if (updated instanceof CelError) return updated;
  const members = {
    lastReturnedUpdateTimestamp: updated,
    ...(lastContact === undefined ? {} : { lastContact: timeOf(lastContact) }),
    ...(generation === undefined ? {} : { generation: BigInt(generation) }),
    ...others,
  };
  return new Dictionary(
    new Map(Object.entries(members).map(([key, value]) => [key, [key, value] as const])),
  );
}

function readReturned({ activation }: Frame): Value {
  const { returned, returnedSpec, returnedMetadata } = activation;
  return {
    status: returned,
    ...(returnedSpec === undefined ? {} : { spec: returnedSpec }),
    ...(returnedMetadata === undefined ? {} : { metadata: returnedMetadata }),
  };
}

/** How the variables of an expression are read. */
export const VARIABLE_EVALUATORS: Readonly<Record<Variable, Evaluator>> = {
  inventory: ({ activation }) => activation.inventory,
  obj: ({ activation }) => activation.obj,
  returned: readReturned,
  propagation: (frame) => {
    frame.propagation ??= readPropagation(frame);
    return frame.propagation;
  },
  // Only expressions that are evaluated with an event can mention it.
  event: ({ activation }) => activation.event as JsonObject,
};
