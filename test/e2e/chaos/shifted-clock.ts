/**
 * To be imported before a program (`node --import`): its clock is off by STARFOLD_TEST_CLOCK_SHIFT_MS milliseconds. The
 * monotonic clock is right, as on a machine whose time is set wrong.
 */
// biome-ignore lint/style/noProcessEnv: a module that is loaded before a program has no arguments.
const shift = Number(process.env['STARFOLD_TEST_CLOCK_SHIFT_MS']);
const now = Date.now;

class ShiftedDate extends Date {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(now() + shift);
    // What Date itself takes.
    else super(...(args as [number]));
  }

  static override now(): number {
    return now() + shift;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
