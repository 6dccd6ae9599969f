/** A computation in slices. Between two of them, the caller may do something else. */
export type Slices<T> = Generator<undefined, T>;

/** Does all slices, one after the other. */
export function allSlices<T>(slices: Slices<T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
  }
}
