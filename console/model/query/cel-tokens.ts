/** What a part of an expression is: a variable, a string, a number or other literal, an operator, or anything else. */
export type TokenKind = 'variable' | 'string' | 'literal' | 'operator' | 'other';

/** A part of an expression. All parts together are the text. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Where it begins, in UTF-16 units. */
  readonly at: number;
}

const VARIABLES = new Set(['inventory', 'obj', 'returned', 'propagation']);
const LITERALS = new Set(['true', 'false', 'null']);

/** Parts of CEL's lexis (cel-spec, "Syntax"). A string that does not end takes the rest of its line. */
const PART =
  /(?<string>[rRbB]{0,2}(?:"""(?:\\.|[^\\])*?(?:"""|$)|'''(?:\\.|[^\\])*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))|(?<number>\b(?:0x[\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)[uU]?\b)|(?<word>[A-Za-z_]\w*)|(?<operator>[-+*/%<>=!&|?:.,()[\]{}]+)|(?<other>\s+|.)/gsu;

function kindOf(groups: Readonly<Record<string, string | undefined>>, before: string): TokenKind {
  if (groups['string'] !== undefined) return 'string';
  if (groups['number'] !== undefined) return 'literal';
  if (groups['operator'] !== undefined) return 'operator';
  const word = groups['word'];
  if (word === undefined || before.endsWith('.')) return 'other';
  if (VARIABLES.has(word)) return 'variable';
  return LITERALS.has(word) ? 'literal' : 'other';
}

/** The parts of an expression, valid or not. */
export function celTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(PART))
    tokens.push({
      kind: kindOf(match.groups ?? {}, tokens.at(-1)?.text ?? ''),
      text: match[0],
      at: match.index,
    });
  return tokens;
}

/** The text with its strings blanked out, so that places stay the same and nothing in a string looks like code. */
export function withoutStrings(text: string): string {
  return celTokens(text)
    .map((token) => (token.kind === 'string' ? '"'.repeat(token.text.length) : token.text))
    .join('');
}

/** A part of an expression as it is drawn. */
export interface DrawnPart {
  readonly kind: TokenKind;
  readonly text: string;
  /** Whether something is wrong there. */
  readonly isMarked: boolean;
}

/** From one place of a text to another one. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The parts of an expression, cut where marks begin and end. */
export function drawnParts(text: string, marks: readonly Range[]): readonly DrawnPart[] {
  const cuts = [...new Set(marks.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  return celTokens(text).flatMap(({ kind, text: part, at }) => {
    const end = at + part.length;
    const places = [at, ...cuts.filter((cut) => cut > at && cut < end), end];
    return places.slice(0, -1).map((from, index): DrawnPart => {
      const to = places[index + 1] ?? end;
      const isMarked = marks.some((mark) => mark.from <= from && to <= mark.to);
      return { kind, text: text.slice(from, to), isMarked };
    });
  });
}
