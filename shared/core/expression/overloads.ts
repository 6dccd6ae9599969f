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

/** An overload whose types depend on each other, for a number of arguments. It is never a member. */
function generic(
  arity: number,
  resolve: (args: readonly StaticType[]) => readonly (StaticType | undefined)[],
): Resolve {
  return (args, isMember) =>
    isMember || args.length !== arity ? [] : resolve(args).filter((type) => type !== undefined);
}

const ORDERED = [BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION];
const NUMBERS = [INT, UINT, DOUBLE];

const same = (types: readonly StaticType[]): readonly Signature[] =>
  types.map((type) => plain([type, type], type));
const comparison = fixed(ORDERED.map((type) => plain([type, type], BOOL)));
const equality = generic(2, ([a = DYN, b = DYN]) => [joinTypes(a, b) && BOOL]);
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

function add(args: readonly StaticType[], isMember: boolean): readonly StaticType[] {
  const [a = DYN, b = DYN] = args;
  const lists = joinTypes(a, LIST) && joinTypes(b, LIST) && joinTypes(a, b);
  return [...addition(args, isMember), ...(lists ? [lists.kind === 'list' ? lists : LIST] : [])];
}

function indexed([operand = DYN, index = DYN]: readonly StaticType[]): (StaticType | undefined)[] {
  if (operand.kind === 'list') return [joinTypes(index, INT) && operand.element];
  if (operand.kind === 'map') return [joinTypes(index, operand.key) && operand.value];
  if (operand.kind === 'object') return [joinTypes(index, STRING) && DYN];
  return operand.kind === 'dyn' ? [DYN] : [];
}

function membership([item = DYN, range = DYN]: readonly StaticType[]): (StaticType | undefined)[] {
  if (range.kind === 'list') return [joinTypes(item, range.element) && BOOL];
  if (range.kind === 'map') return [joinTypes(item, range.key) && BOOL];
  if (range.kind === 'object') return [joinTypes(item, STRING) && BOOL];
  return range.kind === 'dyn' ? [BOOL] : [];
}

function conditional([test = DYN, a = DYN, b = DYN]: readonly StaticType[]): (
  | StaticType
  | undefined
)[] {
  return [joinTypes(test, BOOL) && joinTypes(a, b)];
}

/** The functions of cel-go's standard library (`common/stdlib/standard.go`) and no others. */
const OVERLOADS: ReadonlyMap<string, Resolve> = new Map<string, Resolve>([
  ['_?_:_', generic(3, conditional)],
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
  ['_[_]', generic(2, indexed)],
  ['@in', generic(2, membership)],
  ['size', fixed([STRING, BYTES, LIST, MAP].flatMap((type) => both([type], INT)))],
  ['type', generic(1, () => [TYPE])],
  ['dyn', generic(1, () => [DYN])],
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
