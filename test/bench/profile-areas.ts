/** What a thread was doing, by the functions on its stack (the innermost first). The first area that matches counts. */
const AREAS: readonly (readonly [area: string, pattern: RegExp])[] = [
  ['SQLite, with its files', /node::sqlite|sqlite3/],
  ['JSON', /Json(?:Parser|Stringifier)|Builtin_Json/],
  ['garbage', /Heap::|Scaveng|MarkCompact|Marking|Sweep|Evacuat/],
  ['compiling', /[Cc]ompil|maglev::|baseline::|interpreter::/],
  ['messages of threads', /Value(?:Des|S)erializer|worker::Message::/],
  ['sockets and HTTP', /uv__|StreamBase|StreamWrap|llhttp|HTTP|tcp_|sock_/],
];

/** JavaScript that is not within a function of another area, and what V8 does for it. */
const JAVASCRIPT = 'JavaScript';
/** The threads on which V8 compiles and collects garbage, by their name. */
const V8_THREAD = 'V8Worker';
const OTHER_THREADS = 'compiling and garbage, on other threads';

/** The names of all areas. */
export const AREA_NAMES: readonly string[] = [
  ...AREAS.map(([area]) => area),
  JAVASCRIPT,
  OTHER_THREADS,
];

/** Where JavaScript begins in a stack: perf knows no names of compiled code. */
const JAVASCRIPT_FRAME = /^\[unknown\]$|^Builtins_/;

/** A sample of perf: the thread, and its stack with the innermost function first. */
export interface Sample {
  readonly thread: string;
  readonly stack: readonly string[];
}

/** The area of a sample: what the innermost JavaScript has called, so that no area has what it has called itself. */
export function areaOf({ thread, stack }: Sample): string {
  if (thread === V8_THREAD) return OTHER_THREADS;
  const end = stack.findIndex((frame) => JAVASCRIPT_FRAME.test(frame));
  const called = end < 0 ? stack : stack.slice(0, end);
  const found = AREAS.find(([, pattern]) => called.some((frame) => pattern.test(frame)));
  return found?.[0] ?? JAVASCRIPT;
}

/** Reads the output of `perf script -F comm,ip,sym`: a line with the thread, a line for each function, and an empty line. */
export function samplesOf(text: string): readonly Sample[] {
  return text
    .split('\n\n')
    .map((block) => block.split('\n').filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 1)
    .map(([head = '', ...frames]) => ({
      thread: head.trim(),
      stack: frames.map((frame) => frame.trim().replace(/^\S+ /, '')),
    }));
}

/** The share of each area in the samples, from 0 to 1. */
export function sharesOf(samples: readonly Sample[]): ReadonlyMap<string, number> {
  const areas = Map.groupBy(samples, areaOf);
  return new Map(AREA_NAMES.map((area) => [area, (areas.get(area)?.length ?? 0) / samples.length]));
}
