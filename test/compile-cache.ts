import { fileURLToPath } from 'node:url';

/**
 * The folder in which programs that tests start keep what Node compiles of each module, as `NODE_COMPILE_CACHE` in their environment.
 * Compiling takes half of the CPU of a short program.
 */
export const COMPILE_CACHE = fileURLToPath(
  new URL('../node_modules/.cache/compiled', import.meta.url),
);
