import { writeSync } from 'node:fs';

const WIDTH = 44;

/** How long things took, for a table at the end. */
export class Times {
  readonly #rows: string[] = [];

  add(what: string, ms: number): void {
    this.#rows.push(`  ${what.padEnd(WIDTH)}${(ms / 1000).toFixed(2).padStart(6)} s\n`);
  }

  async measure<T>(what: string, work: () => Promise<T>): Promise<T> {
    const before = performance.now();
    const result = await work();
    this.add(what, performance.now() - before);
    return result;
  }

  /** Not by way of the console: vitest would name the test with each line. */
  print(title: string): void {
    writeSync(1, `\n  ${title}\n${this.#rows.join('')}`);
  }
}
