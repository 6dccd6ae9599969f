/** What a Unicode class (`\pL`) counts. It has hundreds of ranges. */
const UNICODE_CLASS = 64;
/** What a named class counts (`\d`, `[:alpha:]`). It has at most four ranges, or eight with both cases. */
const NAMED_CLASS = 8;
/** If case is ignored, this many characters of a range count 1, because each is folded. */
const FOLDED_PER_UNIT = 16;
/** The instructions of a group that captures what it matches. */
const CAPTURE = 2;
/** The instructions of a repetition, without what is repeated. */
const REPETITION = 2;
/** The instructions of a branch: one to choose it, and one if it becomes empty. */
const BRANCH = 2;
/** The instructions of any program: the first one fails, and the last one matches. */
const PROGRAM = 2;
/** The largest count that RE2 accepts. A pattern with a larger count is invalid. */
const MAX_COUNT = 1_000;

// Each of these ends, at the latest, where it could begin again, so scanning a pattern takes linear time.
const IGNORES_CASE = /\(\?[msU]*i/;
const REPEAT = /\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/y;
const QUOTED = /\\Q([\s\S]*?)(?:\\E|$)/y;
const FLAGS_ALONE = /\(\?[imsU-]*\)/y;
const GROUP = /\((?:\?[imsU-]*:|\?P?<[^>(]*>)?/y;
const UNICODE = /\\[pP](?:\{[^}\\]*\}|[\s\S])/uy;
const ESCAPE = /\\(?:x\{[^}\\]*\}|x[\s\S][\s\S]|[0-7]{1,3}|[\s\S])/uy;
const NAMED = /\[:[^[\]]*:\]/y;
const PERL_CLASS = /\\[dDsSwW]/y;

/**
 * A group that is being read: the sizes of its finished branches, of the current branch, and of the last part of that
 * branch.
 */
interface Group {
  branches: number;
  branch: number;
  last: number;
  readonly captures: boolean;
}

function group(captures: boolean): Group {
  return { branches: 0, branch: 0, last: 0, captures };
}

function sizeOf({ branches, branch, captures }: Group): number {
  return branches + Math.max(branch, 1) + (captures ? CAPTURE : 0);
}

class PatternReader {
  readonly #text: string;
  readonly #ignoresCase: boolean;
  readonly #outer: Group[] = [];
  #group = group(false);
  #at = 0;
  readonly #readers: ReadonlyMap<string, () => void> = new Map([
    ['(', () => this.#open()],
    [')', () => this.#end()],
    ['|', () => this.#branch()],
    ['*', () => this.#repeatAny()],
    ['+', () => this.#repeatAny()],
    ['?', () => this.#repeatAny()],
    ['{', () => this.#count()],
    ['[', () => this.#class()],
    ['\\', () => this.#escape()],
  ]);

  constructor(text: string) {
    this.#text = text;
    this.#ignoresCase = IGNORES_CASE.test(text);
  }

  size(): number {
    while (this.#at < this.#text.length) this.#part();
    for (let outer = this.#outer.pop(); outer; outer = this.#outer.pop()) this.#close(outer);
    return PROGRAM + sizeOf(this.#group);
  }

  #take(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const match = token.exec(this.#text);
    if (match !== null) this.#at = token.lastIndex;
    return match;
  }

  #add(size: number): void {
    this.#group.branch += size;
    this.#group.last = size;
  }

  #repeat(size: (last: number) => number): void {
    const { last } = this.#group;
    this.#group.branch -= last;
    this.#add(Math.max(size(last), 1));
  }

  #close(outer: Group): void {
    const size = sizeOf(this.#group);
    this.#group = outer;
    this.#add(size);
  }

  #part(): void {
    const read = this.#readers.get(this.#text.charAt(this.#at));
    if (read === undefined) this.#add(this.#skip());
    else read();
  }

  #end(): void {
    this.#at += 1;
    const outer = this.#outer.pop();
    if (outer) this.#close(outer);
  }

  #branch(): void {
    this.#at += 1;
    this.#group.branches += Math.max(this.#group.branch, 1) + BRANCH;
    this.#group.branch = 0;
    this.#group.last = 0;
  }

  #repeatAny(): void {
    this.#at += 1;
    this.#repeat((last) => last + REPETITION);
  }

  #open(): void {
    // Flags by themselves are not a part. A repetition after them applies to the part before them.
    if (this.#take(FLAGS_ALONE)) return;
    const opened = this.#take(GROUP);
    this.#outer.push(this.#group);
    this.#group = group(opened?.[0].endsWith(':') === false);
  }

  #count(): void {
    const match = this.#take(REPEAT);
    if (match === null) {
      this.#add(this.#skip());
      return;
    }
    const [, least, comma, most] = match;
    const min = Math.min(Number(least), MAX_COUNT);
    const max = Math.min(Number(most ?? least), MAX_COUNT);
    const open = comma !== undefined && most === undefined;
    this.#repeat((last) =>
      open ? Math.max(min, 1) * last + REPETITION : max * last + Math.max(max - min, 0),
    );
  }

  #escape(): void {
    const quoted = this.#take(QUOTED);
    if (quoted) {
      const { length } = quoted[0].replaceAll(/^\\Q|\\E$/g, '');
      for (let i = 0; i < length; i++) this.#add(1);
      return;
    }
    this.#add(this.#classEscape() ?? (this.#take(ESCAPE) ? 1 : this.#skip()));
  }

  #skip(): number {
    this.#at += 1;
    return 1;
  }

  #classEscape(): number | undefined {
    if (this.#take(UNICODE)) return UNICODE_CLASS;
    return this.#take(PERL_CLASS) ? NAMED_CLASS : undefined;
  }

  #class(): void {
    this.#at += this.#text.startsWith('[^', this.#at) ? 2 : 1;
    const first = this.#at;
    let size = 1;
    while (this.#at < this.#text.length && (this.#text[this.#at] !== ']' || this.#at === first))
      size += this.#classItem();
    this.#at += 1;
    this.#add(size);
  }

  #classItem(): number {
    if (this.#take(NAMED)) return NAMED_CLASS;
    const named = this.#classEscape();
    if (named !== undefined) return named;
    const low = this.#character();
    if (this.#text[this.#at] !== '-' || this.#text[this.#at + 1] === ']') return 1;
    this.#at += 1;
    const high = this.#character();
    return this.#ignoresCase ? 1 + (high - low) / FOLDED_PER_UNIT : 1;
  }

  /** The code point of a character in a class. */
  #character(): number {
    const escaped = this.#take(ESCAPE)?.[0];
    if (escaped !== undefined) return codePoint(escaped);
    const point = this.#text.codePointAt(this.#at) ?? 0;
    this.#at += point > 0xffff ? 2 : 1;
    return point;
  }
}

function codePoint(escaped: string): number {
  const hexadecimal = /^\\x\{?([0-9a-fA-F]+)/.exec(escaped)?.[1];
  if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
  const octal = /^\\([0-7]+)/.exec(escaped)?.[1];
  return octal === undefined ? escaped.charCodeAt(1) : Number.parseInt(octal, 8);
}

/**
 * An upper bound of the number of instructions to which RE2 compiles a pattern. One scan of the pattern computes it
 * before anything is built. A class counts each of its ranges. For an invalid pattern, the size is arbitrary, but at
 * most about 1,000 times the length to the power of the nesting depth of its counted repetitions.
 */
export function patternSize(pattern: string): number {
  return Math.ceil(new PatternReader(pattern).size());
}
