import { OVER_BUDGET, pay, spend } from './budget.ts';
import type { Evaluator, Frame } from './frame.ts';
import {
  CelError,
  isList,
  isMap,
  List,
  type ListValue,
  listItem,
  listSize,
  mapKeys,
  mapSize,
  toCondition,
  typeOf,
  type Value,
} from './value.ts';

/** A comprehension whose parts are compiled. */
export interface Loop {
  readonly range: Evaluator;
  /** The index of the loop variable in the locals of the frame. */
  readonly slot: number;
  /** The steps that one iteration costs. */
  readonly cost: number;
}

/** The list of elements of a loop: the list itself, or the keys of a map. */
function elements(range: Value, { budget }: Frame): ListValue | CelError {
  if (range instanceof CelError || isList(range)) return range;
  if (!isMap(range)) return new CelError(`got '${typeOf(range)}', expected iterable type`);
  return pay(budget, 'keysListed', mapSize(range)) ? new List(mapKeys(range)) : OVER_BUDGET;
}

/**
 * Runs a step for each element until a step returns a value. That value is the value of the loop. If no step returns
 * one, `end` does.
 */
function iterate(
  { range, slot, cost }: Loop,
  begin: () => { step: (frame: Frame) => Value | undefined; end: () => Value },
): Evaluator {
  return (frame) => {
    const items = elements(range(frame), frame);
    if (items instanceof CelError) return items;
    const { step, end } = begin();
    const size = listSize(items);
    for (let i = 0; i < size; i++) {
      if (!spend(frame.budget, cost)) return OVER_BUDGET;
      frame.locals[slot] = listItem(items, i);
      const result = step(frame);
      if (result !== undefined) return result;
    }
    return end();
  };
}

/**
 * `all` (decided by false) and `exists` (decided by true). If another element decides, the error of an element is
 * ignored.
 */
export function quantifier(loop: Loop, predicate: Evaluator, decisive: boolean): Evaluator {
  return iterate(loop, () => {
    let error: CelError | undefined;
    return {
      step: (frame) => {
        const condition = toCondition(predicate(frame));
        if (condition === decisive) return decisive;
        if (condition instanceof CelError) error ??= condition;
        return undefined;
      },
      end: () => error ?? !decisive,
    };
  });
}

/** `exists_one`. If any element fails, the loop fails. */
export function existsOne(loop: Loop, predicate: Evaluator): Evaluator {
  return iterate(loop, () => {
    let count = 0;
    return {
      step: (frame) => {
        const condition = toCondition(predicate(frame));
        if (condition instanceof CelError) return condition;
        if (condition) count++;
        return undefined;
      },
      end: () => count === 1,
    };
  });
}

/** `map` and `filter`: the transformed values of the elements for which the predicate holds. */
export function collect(loop: Loop, predicate: Evaluator, transform: Evaluator): Evaluator {
  return iterate(loop, () => {
    const collected: Value[] = [];
    return {
      step: (frame) => {
        const condition = toCondition(predicate(frame));
        if (condition instanceof CelError) return condition;
        const value = condition && transform(frame);
        if (value instanceof CelError) return value;
        if (condition) collected.push(value);
        return undefined;
      },
      end: () => new List(collected),
    };
  });
}
