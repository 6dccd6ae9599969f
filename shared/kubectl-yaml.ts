import type { DocumentOptions, ParseOptions, ScalarTag, SchemaOptions, Tags } from 'yaml';

const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
/**
 * Integers with a prefix as Go writes them: `0x1F`, `0o14`, `0B11`. After a sign or a digit, an underscore may occur
 * everywhere. A sign may also follow `0b`.
 */
const PREFIXED =
  /^(?=[-+\d])(?:[-+]?_*0_*(?:[oO]_*[0-7][0-7_]*|[xX]_*[\da-fA-F][\da-fA-F_]*|[bB]_*[01][01_]*)|0_*b_*[-+]_*[01][01_]*)$/;
/**
 * Decimal and octal numbers. After a sign or a digit, an underscore may occur everywhere. In a number that begins with a point,
 * it may only occur between digits.
 */
const DECIMAL =
  /^(?:(?=[-+\d])[-+]?(?:_*\._*\d[\d_]*|_*\d[\d_]*(?:\.[\d_]*)?)(?:[eE]_*[-+]?_*\d[\d_]*)?|\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?)$/;
const BOOLEAN_TAG = 'tag:yaml.org,2002:bool';
/** Types of the YAML library that become no values of JSON. {@link FOREIGN_TAGS} replace them. */
const FOREIGN_TAG = /:(?:timestamp|binary|omap|pairs|set)$/;

type Tag = Exclude<Tags[number], string>;

const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;
/** The texts that are timestamps for kubectl (go-yaml v2, `parseTimestamp`). */
const TIMESTAMP =
  /^\d{4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/;

/** The text that a scalar with the tag `!!binary` encodes. */
function binaryText(text: string, onError: (message: string) => void): string {
  const encoded = text.replace(/[\r\n]/g, '');
  if (!BASE64.test(encoded)) onError('!!binary is not followed by valid base64');
  return Buffer.from(encoded, 'base64').toString();
}

function timestampText(text: string, onError: (message: string) => void): string {
  if (!TIMESTAMP.test(text)) onError('!!timestamp is not followed by a date such as 2001-01-31');
  return text;
}

/**
 * What kubectl makes of an explicit tag: `!!binary` is the text that is encoded, `!!timestamp` the text itself, and the tag of a
 * mapping or list changes nothing. The YAML library uses its own type for a tag that is not in this list.
 */
const FOREIGN_TAGS: readonly Tag[] = [
  { tag: 'tag:yaml.org,2002:binary', resolve: binaryText },
  { tag: 'tag:yaml.org,2002:timestamp', resolve: timestampText },
  ...['set', 'omap', 'pairs'].flatMap((name): readonly Tag[] => [
    { tag: `tag:yaml.org,2002:${name}`, collection: 'map' },
    { tag: `tag:yaml.org,2002:${name}`, collection: 'seq' },
  ]),
];

/** There are two tags for booleans: one finds true, one false. */
function booleanTag(tag: Tag): Tag {
  // A boolean is a scalar.
  const scalar = tag as ScalarTag;
  return { ...scalar, test: scalar.test?.test('true') ? TRUE : FALSE };
}

const INT64_LIMIT = 2n ** 63n;

/** An integer of 64 bits, by the rules of Go; without a sign, up to 2^64. `undefined` for any other number. */
function integerOf(plain: string): bigint | undefined {
  const [, sign = '', digits = ''] =
    /^([-+]?)(\d+|0[xob][\da-f]+)$/.exec(plain.replace(/^0b([-+])/, '$10b').toLowerCase()) ?? [];
  // Go reads `010` as octal, and `09` only as a floating-point number.
  if (digits === '' || /^0\d*[89]/.test(digits)) return undefined;
  const size = BigInt(digits.replace(/^0(?=\d)/, '0o'));
  if (sign === '-') return size <= INT64_LIMIT ? -size : undefined;
  return size < INT64_LIMIT * (sign === '' ? 2n : 1n) ? size : undefined;
}

/** A number that is too large for a double is a text. */
function floatOf(plain: string, text: string): number | string {
  const value = Number(plain);
  return Number.isFinite(value) ? value : text;
}

type Resolve = ScalarTag['resolve'];

function readInteger(otherwise: (plain: string, text: string) => number | string): Resolve {
  return (text, _onError, { intAsBigInt }) => {
    const plain = text.replaceAll('_', '');
    const value = integerOf(plain);
    if (value === undefined) return otherwise(plain, text);
    return intAsBigInt ? value : Number(value);
  };
}

const INTEGER_TAG = 'tag:yaml.org,2002:int';
const FLOAT_TAG = 'tag:yaml.org,2002:float';

/** Every number but infinity, as kubectl reads it (go-yaml v2, `resolve`). The last one is for the explicit tag `!!float`. */
export const NUMBER_TAGS: readonly ScalarTag[] = [
  { tag: INTEGER_TAG, default: true, test: PREFIXED, resolve: readInteger((_plain, text) => text) },
  { tag: INTEGER_TAG, default: true, test: DECIMAL, resolve: readInteger(floatOf) },
  {
    tag: FLOAT_TAG,
    default: true,
    test: DECIMAL,
    resolve: (text) => floatOf(text.replaceAll('_', ''), text),
  },
];

/** Whether a tag is of numbers other than infinity. */
function isNumberTag({ tag, ...rest }: Tag): boolean {
  const { test } = rest as Partial<ScalarTag>;
  return tag === INTEGER_TAG || (tag === FLOAT_TAG && test?.test('.inf') !== true);
}

/** The scalars of YAML 1.1, which kubectl reads (sigs.k8s.io/yaml): `y` and `on` are booleans. */
function scalarTags(tags: Tags): Tags {
  const known: Tags = [...NUMBER_TAGS, ...FOREIGN_TAGS];
  for (const tag of tags) {
    if (typeof tag === 'string') known.push(tag);
    else if (tag.tag === BOOLEAN_TAG) known.push(booleanTag(tag));
    else if (!(FOREIGN_TAG.test(tag.tag) || isNumberTag(tag))) known.push(tag);
  }
  return known;
}

/**
 * Options of the YAML library with which it reads a text as kubectl does (sigs.k8s.io/yaml): the scalars of YAML 1.1, and
 * numbers by the rules of Go. A key that occurs twice is an error.
 */
export const KUBECTL_YAML: ParseOptions & DocumentOptions & SchemaOptions = {
  schema: 'yaml-1.1',
  customTags: scalarTags,
};
