import type { DocumentOptions, ParseOptions, ScalarTag, SchemaOptions, Tags } from 'yaml';

const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
/** An integer with a prefix as Go writes it, which kubectl reads as well: `0o14`, `0X1F`. */
const PREFIXED = /^[-+]?0(?:_+|[oO]_*[0-7][0-7_]*|[xX]_*[\da-fA-F][\da-fA-F_]*|[bB]_*[01][01_]*)$/;
/** A number with an exponent; without a digit before it, it is a text, as in `e12`. */
const EXPONENTIAL = /^[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)[eE][-+]?[0-9]+$/;
const BOOLEAN_TAG = 'tag:yaml.org,2002:bool';
/** Types that kubectl does not know: it reads such scalars as text. */
const FOREIGN_TAG = /:(?:timestamp|binary|omap|pairs|set)$/;

type Tag = Exclude<Tags[number], string>;

/** There are two tags for booleans: one finds true, one false. */
function booleanTag(tag: Tag): Tag {
  // A boolean is a scalar.
  const scalar = tag as ScalarTag;
  return { ...scalar, test: scalar.test?.test('true') ? TRUE : FALSE };
}

/** A number that is too large for a double is a text. */
function exponentialTag(tag: Tag): Tag {
  // A number is a scalar.
  const scalar = tag as ScalarTag;
  return {
    ...scalar,
    test: EXPONENTIAL,
    resolve: (text, ...rest) =>
      Number.isFinite(Number(text.replaceAll('_', ''))) ? scalar.resolve(text, ...rest) : text,
  };
}

/** Integers with a prefix (`PREFIXED`). */
export const PREFIXED_TAG: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: PREFIXED,
  resolve: (text, _onError, { intAsBigInt }) => {
    const size = BigInt(text.replace(/^[-+]/, '').replaceAll('_', '').toLowerCase());
    const value = text.startsWith('-') ? -size : size;
    return intAsBigInt ? value : Number(value);
  },
};

/** The scalars of YAML 1.1, which kubectl reads (sigs.k8s.io/yaml): `y` and `on` are booleans. */
function scalarTags(tags: Tags): Tags {
  const known: Tags = [PREFIXED_TAG];
  for (const tag of tags) {
    if (typeof tag === 'string') known.push(tag);
    else if (tag.tag === BOOLEAN_TAG) known.push(booleanTag(tag));
    else if (tag.format === 'EXP') known.push(exponentialTag(tag));
    else if (!(FOREIGN_TAG.test(tag.tag) || tag.format === 'TIME')) known.push(tag);
  }
  return known;
}

/**
 * Options of the YAML library with which it reads a text as kubectl does (sigs.k8s.io/yaml): the scalars of YAML 1.1 and
 * integers with a prefix of Go. A key that stands twice is an error.
 */
export const KUBECTL_YAML: ParseOptions & DocumentOptions & SchemaOptions = {
  schema: 'yaml-1.1',
  customTags: scalarTags,
};
