import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** A collector whose result is more than a cell, a CombinedStatus or an API server takes, and what is told of it. */
export interface HostileResult {
  readonly name: string;
  readonly collectors: Readonly<Record<string, JsonObject>>;
  readonly wecs: number;
  /** What a WEC returns, by its number. */
  readonly status: (wec: number) => JsonObject;
  /** What the collectors' part of the CombinedStatus tells: columns of `rowErrors`, and errors of whole collectors. */
  readonly tells: readonly RegExp[];
  /** What `status.errors` of the Binding says; default: nothing. */
  readonly errors?: readonly RegExp[];
  /** Too many rows, or rows that no event brings: through the fold alone. */
  readonly foldAlone?: true;
  /** That the object's `.status` is wanted back too. */
  readonly wantsStatus?: true;
}

const KIB = 1024;
const CELL = /takes more than 262144 bytes as JSON, or is nested too deep/;
const COST = /actual cost limit exceeded/;
const KEY = /the group key takes more than 262144 bytes/;
const ROWS = /its first \d+ rows take more than 983040 bytes/;
const FIT = /its result does not fit into the CombinedStatus/;
const CLEARED =
  /its status takes more than 983040 bytes as JSON, or is nested too deep, and is cleared/;

function select(...defs: readonly string[]): JsonObject {
  return { select: defs.map((def, index) => ({ name: `c${index}`, def })), limit: 10_000 };
}

const SAME = 'x'.repeat(1000 * KIB);
const TEXT = select('returned.status.text');
const BY_TEXT: JsonObject = {
  groupBy: [{ name: 'k', def: 'returned.status.text' }],
  combinedFields: [{ name: 'n', type: 'COUNT' }],
  limit: 10_000,
};

function textOf(bytes: number): (wec: number) => JsonObject {
  return (wec) => ({ text: `${wec}/`.padEnd(bytes, 'x') });
}

/** The first WEC alone returns something else than a short text. */
function firstAlone(text: JsonValue): (wec: number) => JsonObject {
  return (wec) => ({ text: wec === 0 ? text : 'short' });
}

function nested(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

/** What an honest tenant asks for: a column of short texts, by number of WECs. */
export const BENIGN: HostileResult = {
  name: 'a column of short texts',
  collectors: { benign: TEXT },
  wecs: 1,
  status: () => ({ text: 'short' }),
  tells: [],
};

/** Each is of a kind of its own. */
export const HOSTILE_RESULTS: readonly HostileResult[] = [
  {
    name: 'a cell of 300 KiB',
    collectors: { hostile: TEXT },
    wecs: 3,
    status: firstAlone('x'.repeat(300 * KIB)),
    tells: [CELL],
  },
  {
    name: 'a cell of control characters, which are written in six bytes each',
    collectors: { hostile: TEXT },
    wecs: 3,
    status: firstAlone('\u0001'.repeat(45 * KIB)),
    tells: [CELL],
  },
  {
    name: 'a cell of characters that take three bytes each',
    collectors: { hostile: TEXT },
    wecs: 3,
    status: firstAlone('€'.repeat(90 * KIB)),
    tells: [CELL],
  },
  {
    name: 'a cell that is a list of 20,000 short elements',
    collectors: { hostile: TEXT },
    wecs: 3,
    status: firstAlone(new Array<string>(20_000).fill('abcdefghijklm')),
    tells: [CELL],
  },
  {
    name: 'a cell that refers to one value often',
    collectors: { hostile: select('returned.status.l.map(i, returned.status.text)') },
    wecs: 1,
    status: () => ({ l: new Array<number>(60).fill(1), text: 'x'.repeat(10 * KIB) }),
    tells: [CELL],
  },
  {
    name: 'a cell that is nested 600 levels deep',
    collectors: { hostile: TEXT },
    wecs: 2,
    status: firstAlone(nested(600)),
    tells: [CELL],
    foldAlone: true,
  },
  {
    name: 'a row of five cells of 240 KiB',
    collectors: { hostile: select(...new Array<string>(5).fill('returned.status.text')) },
    wecs: 1,
    status: textOf(240 * KIB),
    // The third of them is more than the steps of the row give out.
    tells: [COST],
  },
  {
    name: 'three hundred rows of 4 KiB, in shards',
    collectors: { hostile: TEXT },
    wecs: 300,
    status: textOf(4 * KIB),
    tells: [ROWS],
    errors: [ROWS],
  },
  {
    name: '10,000 rows of 10 KiB',
    collectors: { hostile: TEXT },
    wecs: 10_000,
    status: textOf(10 * KIB),
    tells: [ROWS],
    errors: [ROWS],
    foldAlone: true,
  },
  {
    name: 'a group key of 300 KiB',
    collectors: { hostile: BY_TEXT },
    wecs: 3,
    status: firstAlone('x'.repeat(300 * KIB)),
    tells: [KEY],
  },
  {
    name: 'ten groups with keys of 120 KiB',
    collectors: { hostile: BY_TEXT },
    wecs: 10,
    status: textOf(120 * KIB),
    tells: [ROWS],
    errors: [ROWS],
  },
  {
    name: '10,000 groups with keys of 10 KiB',
    collectors: { hostile: BY_TEXT },
    wecs: 10_000,
    status: textOf(10 * KIB),
    tells: [ROWS],
    errors: [ROWS],
    foldAlone: true,
  },
  {
    name: 'two collectors that do not fit together',
    collectors: { hostile: TEXT, 'hostile-too': TEXT },
    wecs: 6,
    status: textOf(100 * KIB),
    tells: [FIT],
    errors: [FIT],
  },
  {
    name: 'an error for each of 100 columns in each of 100 WECs',
    collectors: {
      hostile: select(...new Array<string>(100).fill(`returned.status.${'nothing'.repeat(10)}`)),
    },
    wecs: 100,
    status: () => ({}),
    tells: [/^no such key: .* \(and 91 more WECs have an error in this column\)$/],
  },
  {
    name: 'an error that quotes a key of 100 KiB',
    collectors: { hostile: select('returned.status[returned.status.text]') },
    wecs: 3,
    status: textOf(100 * KIB),
    tells: [/^no such key: 0\/x{400,500}…$/],
  },
  {
    name: 'a subject of 100 KiB that is not a number',
    collectors: {
      hostile: { combinedFields: [{ name: 's', type: 'SUM', subject: 'returned.status.text' }] },
    },
    wecs: 3,
    status: textOf(100 * KIB),
    tells: [/^WEC wec0: the string "0\/x{62}"... \(102400 characters\) is not a number/],
    errors: [/is not a number and counts as 0/],
  },
  {
    name: 'errors that each repeat a name of 253 characters, which take three bytes each',
    collectors: {
      hostile: {
        select: Array.from({ length: 100 }, (_column, index) => ({
          name: `${index}`.padEnd(253, '€'),
          def: 'returned.status.none',
        })),
      },
    },
    wecs: 15,
    status: () => ({}),
    tells: [/^no such key: none \(and 6 more WECs have an error in this column\)$/],
  },
  {
    name: 'a status of 1000 KiB to copy',
    collectors: {},
    wecs: 1,
    status: textOf(1000 * KIB),
    tells: [],
    errors: [CLEARED],
    wantsStatus: true,
  },
  {
    name: 'a status of 1000 KiB that is the same in all WECs',
    collectors: {},
    wecs: 3,
    status: () => ({ text: SAME }),
    tells: [],
    errors: [CLEARED],
    wantsStatus: true,
  },
  {
    name: 'conditions of which every WEC has 30 others',
    collectors: {},
    wecs: 400,
    status: (wec) => ({
      conditions: Array.from({ length: 30 }, (_condition, index) => ({
        type: `T${wec}-${index}`,
        status: 'False',
        message: 'x'.repeat(100),
      })),
    }),
    tells: [],
    errors: [CLEARED],
    wantsStatus: true,
    foldAlone: true,
  },
  {
    name: 'a status that is nested 600 levels deep',
    collectors: {},
    wecs: 1,
    status: () => ({ text: nested(600) }),
    tells: [],
    errors: [CLEARED],
    wantsStatus: true,
    foldAlone: true,
  },
];
