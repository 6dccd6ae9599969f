/** The lines of a text that comes in pieces. A last line without an end is left out: it was cut off. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let begun = '';
  for await (const piece of pieces) {
    const lines = `${begun}${piece}`.split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
}
