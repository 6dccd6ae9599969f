import type { ASTNode } from '@marcbachmann/cel-js';
import { fail } from './syntax-fault.ts';
import { Bytes, Uint, type Value } from './value.ts';

type Literal = Extract<ASTNode, { op: 'value' }>;

const INT64_MAX = 2n ** 63n - 1n;

/** An int literal, which a minus before it makes negative: only so can the smallest int64 be written. */
export function integerLiteral(value: bigint, negative: boolean, at: number): bigint {
  if (value > INT64_MAX + (negative ? 1n : 0n)) return fail('invalid int literal', at);
  return negative ? -value : value;
}

/** The value of a literal. */
export function literalValue(node: Literal): Value {
  const value = node.args;
  if (typeof value === 'bigint') return integerLiteral(value, false, node.start);
  if (value === null || typeof value !== 'object') return value;
  if (!(value instanceof Uint8Array)) return new Uint(BigInt(value.toString()));
  // The parser keeps 8 bits of each character of a bytes literal, where CEL takes the character's UTF-8 bytes.
  if (Array.from(node.input.slice(node.start, node.end)).some((c) => c > '\u007f')) {
    return fail('bytes literal has a character beyond ASCII', node.start);
  }
  return new Bytes(value);
}
