import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  joinTypes,
  listOf,
  mapOf,
  STRING,
  type StaticType,
  TIMESTAMP,
  TYPE,
  UINT,
} from './static-type.ts';

/** The result types of the overloads that accept the arguments. The target of a member call is the first argument. */
export type Resolve = (args: readonly StaticType[], isMember: boolean) => readonly StaticType[];

interface Signature {
  readonly isMember: boolean;
  readonly args: readonly StaticType[];
  readonly result: StaticType;
}

const LIST = listOf(DYN);
const MAP = mapOf(DYN, DYN);

function accepts(signature: Signature, args: readonly StaticType[], isMember: boolean): boolean {
  if (signature.isMember !== isMember || signature.args.length !== args.length) return false;
  // There are as many arguments as types.
  return signature.args.every(
    (type, index) => joinTypes(type, args[index] as StaticType) !== undefined,
  );
}

function fixed(signatures: readonly Signature[]): Resolve {
  return (args, isMember) =>
    signatures.filter((signature) => accepts(signature, args, isMember)).map((s) => s.result);
}

function plain(args: readonly StaticType[], result: StaticType): Signature {
  return { isMember: false, args, result };
}

function member(args: readonly StaticType[], result: StaticType): Signature {
  return { isMember: true, args, result };
}

function both(args: readonly StaticType[], result: StaticType): readonly Signature[] {
  return [plain(args, result), member(args, result)];
}

type Types = readonly StaticType[];
type One = readonly [StaticType];
type Two = readonly [StaticType, StaticType];
type Three = readonly [StaticType, StaticType, StaticType];

function isOne(args: Types): args is One {
  return args.length === 1;
}

function areTwo(args: Types): args is Two {
  return args.length === 2;
}

function areThree(args: Types): args is Three {
  return args.length === 3;
}

/** An overload whose types depend on each other, for a number of arguments. It is never a member. */
function generic<Args extends Types>(
  isFor: (args: Types) => args is Args,
  resolve: (args: Args) => readonly (StaticType | undefined)[],
): Resolve {
  return (args, isMember) =>
    isMember || !isFor(args) ? [] : resolve(args).filter((type) => type !== undefined);
}

const ORDERED = [BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION];
const NUMBERS = [INT, UINT, DOUBLE];

const same = (types: readonly StaticType[]): readonly Signature[] =>
  types.map((type) => plain([type, type], type));
const comparison = fixed(ORDERED.map((type) => plain([type, type], BOOL)));
const equality = generic(areTwo, ([a, b]) => [joinTypes(a, b) && BOOL]);
const conversion = (from: readonly StaticType[], to: StaticType): Resolve =>
  fixed(from.map((type) => plain([type], to)));
const calendarField = (...others: readonly Signature[]): Resolve =>
  fixed([member([TIMESTAMP], INT), member([TIMESTAMP, STRING], INT), ...others]);
const timeField = calendarField(member([DURATION], INT));
const dateField = calendarField();
const textTest = fixed([member([STRING, STRING], BOOL)]);

const addition = fixed([
  ...same([...NUMBERS, STRING, BYTES, DURATION]),
  plain([TIMESTAMP, DURATION], TIMESTAMP),
  plain([DURATION, TIMESTAMP], TIMESTAMP),
]);

const concatenation = generic(areTwo, ([a, b]) => {
  const lists = joinTypes(a, LIST) && joinTypes(b, LIST) && joinTypes(a, b);
  return [lists && (lists.kind === 'list' ? lists : LIST)];
});

function add(args: readonly StaticType[], isMember: boolean): readonly StaticType[] {
  return [...addition(args, isMember), ...concatenation(args, isMember)];
}

function indexed([operand, index]: Two): (StaticType | undefined)[] {
  if (operand.kind === 'list') return [joinTypes(index, INT) && operand.element];
  if (operand.kind === 'map') return [joinTypes(index, operand.key) && operand.value];
  if (operand.kind === 'object') return [joinTypes(index, STRING) && DYN];
  return operand.kind === 'dyn' ? [DYN] : [];
}

function membership([item, range]: Two): (StaticType | undefined)[] {
  if (range.kind === 'list') return [joinTypes(item, range.element) && BOOL];
  if (range.kind === 'map') return [joinTypes(item, range.key) && BOOL];
  if (range.kind === 'object') return [joinTypes(item, STRING) && BOOL];
  return range.kind === 'dyn' ? [BOOL] : [];
}

function conditional([test, a, b]: Three): (StaticType | undefined)[] {
  return [joinTypes(test, BOOL) && joinTypes(a, b)];
}

/** The functions of cel-go's standard library (`common/stdlib/standard.go`) and no others. */
const OVERLOADS: ReadonlyMap<string, Resolve> = new Map<string, Resolve>([
  ['_?_:_', generic(areThree, conditional)],
  ['!_', fixed([plain([BOOL], BOOL)])],
  ['-_', fixed([plain([INT], INT), plain([DOUBLE], DOUBLE)])],
  ['_==_', equality],
  ['_!=_', equality],
  ['_<_', comparison],
  ['_<=_', comparison],
  ['_>_', comparison],
  ['_>=_', comparison],
  ['_+_', add],
  [
    '_-_',
    fixed([
      ...same([...NUMBERS, DURATION]),
      plain([TIMESTAMP, DURATION], TIMESTAMP),
      plain([TIMESTAMP, TIMESTAMP], DURATION),
    ]),
  ],
  ['_*_', fixed(same(NUMBERS))],
  ['_/_', fixed(same(NUMBERS))],
  ['_%_', fixed(same([INT, UINT]))],
  ['_[_]', generic(areTwo, indexed)],
  ['@in', generic(areTwo, membership)],
  ['size', fixed([STRING, BYTES, LIST, MAP].flatMap((type) => both([type], INT)))],
  ['type', generic(isOne, () => [TYPE])],
  ['dyn', generic(isOne, () => [DYN])],
  ['bool', conversion([BOOL, STRING], BOOL)],
  ['bytes', conversion([BYTES, STRING], BYTES)],
  ['double', conversion([...NUMBERS, STRING], DOUBLE)],
  ['duration', conversion([DURATION, INT, STRING], DURATION)],
  ['int', conversion([...NUMBERS, STRING, DURATION, TIMESTAMP], INT)],
  ['string', conversion([...NUMBERS, STRING, BOOL, BYTES, DURATION, TIMESTAMP], STRING)],
  ['timestamp', conversion([TIMESTAMP, INT, STRING], TIMESTAMP)],
  ['uint', conversion([...NUMBERS, STRING], UINT)],
  ['contains', textTest],
  ['endsWith', textTest],
  ['startsWith', textTest],
  ['matches', fixed(both([STRING, STRING], BOOL))],
  ['getFullYear', dateField],
  ['getMonth', dateField],
  ['getDayOfYear', dateField],
  ['getDayOfMonth', dateField],
  ['getDate', dateField],
  ['getDayOfWeek', dateField],
  ['getHours', timeField],
  ['getMinutes', timeField],
  ['getSeconds', timeField],
  ['getMilliseconds', timeField],
]);

/** How calls of a function are resolved, or `undefined` if there is no such function. */
export function overloads(name: string): Resolve | undefined {
  return OVERLOADS.get(name);
}
