import { isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { isToken, TOKEN_RULE } from '#shared/adapters/http/event-intake.ts';
import type { EventSource } from '#shared/core/event.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';
import { parseSourceText } from '#shared/state/senders.ts';
import { IntakeError } from './intake-error.ts';

/** A token, and the source that it may report. */
export interface SourceToken {
  readonly source: EventSource;
  readonly token: string;
}

/** How a tokens file is read. */
export interface TokensFile {
  /** Its path, for errors. */
  readonly file: string;
  /** Name of the WDS of the stack. A token may report no other WDS. */
  readonly wds: string;
}

/** A place in the file, for errors. */
interface Place {
  readonly node: unknown;
  readonly field?: string;
}

const FORM = 'write a line "wec/NAME: TOKEN" for each WEC, wec/* for the forwarder of an ITS';

function yamlFault(code: string): string {
  if (code === 'DUPLICATE_KEY') return 'the name stands there a second time: remove one of the two';
  return `it is no YAML (${code}): ${FORM}`;
}

/** Reads the text of a tokens file. */
class Reader {
  readonly #at: TokensFile;
  readonly #lines = new LineCounter();
  readonly #root;
  readonly #keys = new Map<string, string>();

  constructor(at: TokensFile, text: string) {
    this.#at = at;
    this.#root = parseDocument(text, {
      ...KUBECTL_YAML,
      lineCounter: this.#lines,
      prettyErrors: false,
    });
  }

  #refuse({ node, field }: Place, fault: string): never {
    const from = (node as Partial<Node> | null | undefined)?.range?.[0];
    const line = from === undefined ? '' : `:${this.#lines.linePos(from).line}`;
    const name = field === undefined ? '' : `${field}: `;
    throw new IntakeError(`tokens file ${this.#at.file}${line}: ${name}${fault}`);
  }

  read(): readonly SourceToken[] {
    const { errors, contents } = this.#root;
    const [error] = errors;
    // The library's messages may contain a token. Its codes do not.
    if (error !== undefined)
      return this.#refuse({ node: { range: error.pos } }, yamlFault(error.code));
    if (!isMap(contents) || contents.items.length === 0)
      return this.#refuse({ node: contents }, `it names no source: ${FORM}`);
    return contents.items.map(({ key, value }) => this.#entry(key, value));
  }

  #entry(key: unknown, value: unknown): SourceToken {
    if (!isScalar(key) || typeof key.value !== 'string')
      return this.#refuse({ node: key }, `a name is not a text: ${FORM}`);
    const source = parseSourceText(key.value);
    // The text may be a token, on a line in the wrong order, so the error does not quote it.
    if (source === undefined)
      return this.#refuse(
        { node: key },
        'the name is no source: write wec/NAME, wds/NAME or wec/*',
      );
    const place = { node: key, field: key.value };
    const { wds } = this.#at;
    if (source.type === 'wds' && source.name !== wds)
      return this.#refuse(
        place,
        `is not the WDS of this stack, wds/${wds}: its forwarder needs a stack of its own`,
      );
    // The stack already follows its own management cluster. It cannot write to another one.
    if (source.type === 'fleet')
      return this.#refuse(
        place,
        'is a management cluster of Fleet, which this stack watches itself: remove the line, and give its context as --fleet',
      );
    const token = this.#token(place, value);
    const other = this.#keys.get(token);
    if (other !== undefined)
      return this.#refuse(place, `it has the token of ${other}: give each a token of its own`);
    this.#keys.set(token, key.value);
    return { source, token };
  }

  #token(place: Place, node: unknown): string {
    const value = isScalar(node) ? node.value : node;
    if (value === null || value === '')
      return this.#refuse(place, `it has no token: ${TOKEN_RULE}`);
    if (typeof value !== 'string')
      return this.#refuse(place, 'its token is not a text: write it in quotes');
    if (!isToken(value)) return this.#refuse(place, `its token cannot be used: ${TOKEN_RULE}`);
    return value;
  }
}

/**
 * Reads the text of a tokens file: a YAML map, read as kubectl reads it, from `wec/NAME`, `wds/NAME` or `wec/*` to a token.
 *
 * @throws IntakeError that names the file, the line, the remedy and, if it is valid, the source, but never anything
 *   that may be a token
 */
export function parseTokens(at: TokensFile, text: string): readonly SourceToken[] {
  return new Reader(at, text).read();
}
