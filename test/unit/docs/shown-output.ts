/** An output without what differs each time. */
export function lasting(output: string): string {
  return output
    .replace(/^[\d:.]{12} /gm, '')
    .replace(/\b(?:\d+[smh])+\b/g, 'TIME')
    .replace(/ +/g, ' ')
    .trim();
}

/** The same, without names that a controller or a process makes for itself, and without openssl's signs of life. */
export function comparable(output: string): string {
  return lasting(output.replaceAll(/^[.+*-]{5,}$/gm, ''))
    .replaceAll(/\S+_[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'HOLDER')
    .replaceAll(/-[^\Waeiou_]{6,10}-[^\Waeiou_]{5}\b/g, '-HASH')
    .replaceAll(/ +$/gm, '')
    .replaceAll('arn:aws:', 'arn:PARTITION:');
}

/**
 * An output as the document shows it: shortened where the document has a line `...`, which stands for any lines, or `...` in a line,
 * which stands for any text. If they differ, the whole output.
 */
export function asShown(output: string, shown: string): string {
  const [text, expected] = [comparable(output), comparable(shown)];
  const lines = expected
    .split('\n')
    .map((line) =>
      line === '...' ? '(?:.*\n)*?' : `${line.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\n`,
    );
  const pattern = `^${lines.join('').replaceAll('\\.\\.\\.', '.*')}$`;
  return new RegExp(pattern).test(`${text}\n`) ? expected : text;
}
