import { ParseError } from '@marcbachmann/cel-js';
import type { ExpressionError } from './expression.ts';

/** The longest text of an expression, in UTF-16 units. */
export const MAX_LENGTH = 4096;
/** How deeply expressions may be nested. A chain of `&&` or `||` counts once. */
export const MAX_DEPTH = 250;
/** How deeply comprehensions may be nested. */
export const MAX_COMPREHENSION_DEPTH = 3;

/** Stops the conversion of a text. It is never thrown beyond the parsing of expressions. */
export class SyntaxFault extends Error {
  readonly code: ExpressionError['code'];
  readonly at: number;
  constructor(code: ExpressionError['code'], message: string, at: number) {
    super(message);
    this.code = code;
    this.at = at;
  }
}

/** An error at an offset of a text, with its line and column counted from 1 in code points. */
export function errorAt(
  text: string,
  at: number,
  error: Pick<ExpressionError, 'code' | 'message'>,
): ExpressionError {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = Array.from(before.slice(before.lastIndexOf('\n') + 1)).length + 1;
  return { ...error, line, column };
}

/** What an author has written, by the parser's name of it. */
const WRITTEN: Readonly<Record<string, string>> = {
  EOF: 'the end of the expression',
  IDENTIFIER: 'a name',
  LPAREN: "'('",
  RPAREN: "')'",
  LBRACKET: "'['",
  RBRACKET: "']'",
  LBRACE: "'{'",
  RBRACE: "'}'",
  COMMA: "','",
  COLON: "':'",
  QUESTION: "'?'",
};

/** What the parser says, with what an author has written in place of its own names. */
function inWritten(summary: string): string {
  const isAboutTokens = /^(?:Unexpected token: |Expected [A-Z]+, got )/.test(summary);
  return isAboutTokens
    ? summary.replaceAll(/\b[A-Z]{3,}\b/g, (name) => WRITTEN[name] ?? name)
    : summary;
}

/**
 * The error that is shown to the author of a text that cannot be parsed. If the failure is neither ours nor the
 * parser's, the parser ran out of stack.
 */
export function faultOf(text: string, error: unknown): ExpressionError {
  if (error instanceof SyntaxFault) {
    return errorAt(text, error.at, { code: error.code, message: error.message });
  }
  if (!(error instanceof ParseError)) {
    return errorAt(text, 0, { code: 'too-deep', message: 'expression is nested too deeply' });
  }
  const code = error.code === 'limit_exceeded' ? 'too-deep' : 'syntax';
  return errorAt(text, error.range?.start ?? 0, { code, message: inWritten(error.summary) });
}

/** Rejects a text for its syntax at an offset. */
export function fail(message: string, at: number): never {
  throw new SyntaxFault('syntax', message, at);
}
