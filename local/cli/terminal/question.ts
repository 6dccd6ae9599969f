import { createInterface } from 'node:readline/promises';

/** How the operator is asked for confirmation. */
export interface Question {
  /** Whether the operator can be asked. */
  readonly isPossible: boolean;
  /** Asks, and returns true only for yes. Ctrl-C and the end of the input mean no. */
  ask(text: string): Promise<boolean>;
}

/** Asks at a terminal. `input` and `output` are its two directions. */
export function createQuestion(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Question {
  return {
    isPossible: input.isTTY === true && output.isTTY === true,
    ask: async (text) => {
      const lines = createInterface({ input, output });
      // Without this, Node would end the process while it waits for the answer.
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
