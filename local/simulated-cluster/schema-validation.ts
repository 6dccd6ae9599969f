import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import {
  at,
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  stringifyJson,
} from '#shared/core/json.ts';
import type { FieldError } from './status-error.ts';

function isIntOrString(value: unknown): boolean {
  return typeof value === 'string' || Number.isInteger(value);
}

/** Whether the entries of a list of the type `set` or `map` are unique. */
function isUnique(type: string, list: readonly JsonValue[], schema?: object): boolean {
  if (type === 'atomic') return true;
  const { 'x-kubernetes-list-map-keys': keys } = schema as JsonObject; // The validator gives the schema of the list.
  const names = list.map((entry) =>
    stringifyJson(isArray(keys) ? keys.map((key) => at(entry, String(key)) ?? null) : entry),
  );
  return new Set(names).size === names.length;
}

/** Compiles the schemas of CustomResourceDefinitions. They are OpenAPI 3 with extensions, not plain JSON schemas. */
function compiler(): Ajv {
  const options = { strict: false, validateSchema: false, allErrors: true, verbose: true } as const;
  const ajv = new Ajv({ ...options, logger: false });
  formats.default(ajv, ['date', 'date-time', 'email', 'ipv4', 'ipv6', 'uri']);
  ajv.addKeyword({
    keyword: 'x-kubernetes-int-or-string',
    validate: (isSet: boolean, value: unknown) => !isSet || isIntOrString(value),
    error: { message: 'must be of type integer or string' },
  });
  ajv.addKeyword({ keyword: 'x-kubernetes-list-type', type: 'array', validate: isUnique });
  return ajv;
}

/** `undefined` for a schema that cannot be compiled, such as one with a pattern that only Go knows. */
const COMPILED = new WeakMap<JsonObject, { readonly validator: ValidateFunction | undefined }>();

/** `nullable` beside no type changes nothing, and the validator does not accept it. */
function withoutIdleNullable(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || 'type' in value) return value;
  const { nullable, ...rest } = value as { readonly nullable?: unknown };
  return nullable === true ? rest : value;
}

function compiled(schema: JsonObject): ValidateFunction | undefined {
  try {
    return compiler().compile(JSON.parse(stringifyJson(schema), withoutIdleNullable));
  } catch {
    return undefined;
  }
}

function validatorOf(schema: JsonObject): ValidateFunction | undefined {
  const known = COMPILED.get(schema) ?? { validator: compiled(schema) };
  COMPILED.set(schema, known);
  return known.validator;
}

/** The steps of a JSON pointer (RFC 6901). */
function stepsOf(pointer: string): readonly string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(value: JsonValue | undefined, steps: readonly string[]): JsonValue | undefined {
  let found = value;
  for (const step of steps) {
    if (isArray(found)) found = found[Number(step)];
    else found = isObject(found) ? found[step] : undefined;
  }
  return found;
}

/** `spec.select[0].name` */
function fieldName(object: JsonObject, steps: readonly string[]): string {
  const named = steps.map((step, index) =>
    isArray(valueAt(object, steps.slice(0, index))) ? `[${step}]` : `.${step}`,
  );
  return named.join('').replace(/^\./, '');
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'number') return typeof value;
  return Number.isInteger(value) ? 'integer' : 'number';
}

function quoted(values: unknown): string {
  return (Array.isArray(values) ? values : []).map((value) => JSON.stringify(value)).join(', ');
}

/** A fault in the words of an API server. */
function fieldError(object: JsonObject, error: ErrorObject): FieldError {
  const { keyword, instancePath, params, message, data } = error;
  const steps = stepsOf(instancePath);
  const field = fieldName(object, steps);
  const value = JSON.stringify(data);
  switch (keyword) {
    case 'required':
      return {
        field: fieldName(object, [...steps, String(params['missingProperty'])]),
        message: 'Required value',
      };
    case 'type': {
      const [type] = [params['type']].flat();
      const given = `"${typeName(data)}"`;
      const expected = `must be of type ${type}: ${given}`;
      return { field, message: `Invalid value: ${given}: ${field} in body ${expected}` };
    }
    case 'enum':
      return {
        field,
        message: `Unsupported value: ${value}: supported values: ${quoted(params['allowedValues'])}`,
      };
    case 'x-kubernetes-list-type':
      return { field, message: `Duplicate value: ${value}` };
    default:
      return { field, message: `Invalid value: ${value}: ${field} in body ${message}` };
  }
}

/**
 * The faults of an object by the schema of its CustomResourceDefinition. As an API server does, it accepts a fault in a part that
 * the request leaves as it is stored. The expressions of `x-kubernetes-validations` are not evaluated, and by a schema that the
 * validator cannot compile, every object is valid.
 *
 * @param stored absent: the object is new
 */
export function schemaFaults(
  schema: JsonObject,
  object: JsonObject,
  stored?: JsonObject,
): readonly FieldError[] {
  const validator = validatorOf(schema);
  // The library knows no integers beyond 2^53 and no floating-point numbers that are integers.
  if (validator === undefined || validator(JSON.parse(stringifyJson(object)))) return [];
  const faults = (validator.errors ?? []).filter(({ instancePath }) => {
    const steps = stepsOf(instancePath);
    const before = valueAt(stored, steps);
    const now = valueAt(object, steps);
    return before === undefined || now === undefined || !equalJson(before, now);
  });
  return faults.map((error) => fieldError(object, error));
}
