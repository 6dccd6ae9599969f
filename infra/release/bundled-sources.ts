/** An output of esbuild, as its metafile describes it. */
interface Output {
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
}

/** The source files of which something is in one of the outputs, sorted. */
export function sourcesOf(outputs: readonly Output[]): readonly string[] {
  const sources = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : [])),
  );
  return [...new Set(sources)].sort();
}

/** The end of the name of a file with the comments that esbuild has taken out of another one. */
const LEGAL = '.LEGAL.txt';

/** Whether a file has the comments with licences and copyrights of another one. */
export function isLegal(name: string): boolean {
  return name.endsWith(LEGAL);
}

/** These comments, each once. */
export function legalCommentsOf(texts: readonly string[]): string {
  return [...new Set(texts.map((text) => text.trim()))].sort().join('\n\n');
}
