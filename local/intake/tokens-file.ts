import { isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { isToken } from '#shared/adapters/http/event-intake.ts';
import type { EventSource } from '#shared/core/event.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';
import { parseSourceText } from '#shared/state/senders.ts';
import { IntakeError } from './intake-error.ts';
import { TOKEN_FAULTS, tokensFileFault } from './messages.ts';

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

/** A location in the file, for errors. */
interface Location {
  readonly node: unknown;
  readonly field?: string;
}

function yamlFault(code: string): string {
  return code === 'DUPLICATE_KEY' ? TOKEN_FAULTS.duplicate : TOKEN_FAULTS.notYaml(code);
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

  #reject({ node, field }: Location, fault: string): never {
    const from = (node as Partial<Node> | null | undefined)?.range?.[0];
    const line = from === undefined ? '' : `:${this.#lines.linePos(from).line}`;
    const name = field === undefined ? '' : `: ${field}`;
    throw new IntakeError(tokensFileFault(`${this.#at.file}${line}${name}`, fault));
  }

  read(): readonly SourceToken[] {
    const { errors, contents } = this.#root;
    const [error] = errors;
    // The library's messages may contain a token. Its codes do not.
    if (error !== undefined)
      return this.#reject({ node: { range: error.pos } }, yamlFault(error.code));
    if (!isMap(contents) || contents.items.length === 0)
      return this.#reject({ node: contents }, TOKEN_FAULTS.noSource);
    return contents.items.map(({ key, value }) => this.#entry(key, value));
  }

  #entry(key: unknown, value: unknown): SourceToken {
    if (!isScalar(key) || typeof key.value !== 'string')
      return this.#reject({ node: key }, TOKEN_FAULTS.notAString);
    const source = parseSourceText(key.value);
    // The text may be a token, on a line in the wrong order, so the error does not quote it.
    if (source === undefined) return this.#reject({ node: key }, TOKEN_FAULTS.notASource);
    const location = { node: key, field: key.value };
    const { wds } = this.#at;
    if (source.type === 'wds' && source.name !== wds)
      return this.#reject(location, TOKEN_FAULTS.otherWds(wds));
    // The stack already follows its own management cluster. It cannot write to another one.
    if (source.type === 'fleet') return this.#reject(location, TOKEN_FAULTS.fleet);
    const token = this.#token(location, value);
    const other = this.#keys.get(token);
    if (other !== undefined) return this.#reject(location, TOKEN_FAULTS.shared(other));
    this.#keys.set(token, key.value);
    return { source, token };
  }

  #token(location: Location, node: unknown): string {
    const value = isScalar(node) ? node.value : node;
    if (value === null || value === '') return this.#reject(location, TOKEN_FAULTS.noToken);
    if (typeof value !== 'string') return this.#reject(location, TOKEN_FAULTS.tokenNotAString);
    if (!isToken(value)) return this.#reject(location, TOKEN_FAULTS.badToken);
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
