import { createInterface } from 'node:readline/promises';

/** How an operator is asked before something is done. */
export interface Question {
  /** Whether there is somebody to ask. */
  readonly isPossible: boolean;
  /** Asks; true for yes alone. Ctrl-C and the end of the input are a no. */
  ask(text: string): Promise<boolean>;
}

/** Asks at a terminal: `input` and `output` are its two directions. */
export function createQuestion(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Question {
  return {
    isPossible: input.isTTY === true && output.isTTY === true,
    ask: async (text) => {
      const lines = createInterface({ input, output });
      // Without this Node would end the process while it waits for the answer.
      const closed = new Promise<undefined>((resolve) =>
        lines.once('close', () => resolve(undefined)),
      );
      lines.once('SIGINT', () => lines.close());
      const answer = await Promise.race([lines.question(`${text} [y/N] `), closed]);
      lines.close();
      if (answer === undefined) output.write('\n');
      return /^y(es)?$/i.test(answer?.trim() ?? '');
    },
  };
}
