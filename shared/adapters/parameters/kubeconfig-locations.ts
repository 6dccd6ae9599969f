import {
  KUBECONFIG_ALLOWANCES,
  type KubeConfigAllowance,
} from '#shared/adapters/kubernetes/kube-config-allowance.ts';
import { isObject, type JsonObject, type JsonValue, member, parseJson } from '#shared/core/json.ts';
import { type ClusterType, KubeconfigPlacesError, WDS_CLUSTER } from '#shared/errors.ts';
import { emptyName, invalidPlace, invalidPlaceOf, noPlaces, PLACE_FAULTS } from './messages.ts';

/** The location of a kubeconfig in a store. */
export interface KubeconfigLocation {
  readonly service: 'secretsmanager' | 'ssm';
  /** The name or ARN of the secret or parameter. */
  readonly id: string;
  /** The region in the ARN. If it is absent, the function's region is used. */
  readonly region?: string;
  /** What the settings allow the kubeconfig in addition. */
  readonly allow?: KubeConfigAllowance;
}

/** Locations of kubeconfigs by name of the cluster. */
export type KubeconfigLocations = ReadonlyMap<string, KubeconfigLocation>;

/** The IAM actions for reading from a location, on exactly that secret or parameter. */
export const KUBECONFIG_ACTIONS = {
  secretsmanager: ['secretsmanager:GetSecretValue'],
  ssm: ['ssm:GetParameter'],
} as const satisfies Readonly<Record<KubeconfigLocation['service'], readonly string[]>>;

/**
 * The additional IAM actions, on the KMS key, if a customer managed key encrypts the secret or parameter. The keys
 * `aws/secretsmanager` and `aws/ssm` allow them to everyone who may read the secret or parameter.
 */
export const KUBECONFIG_KEY_ACTIONS = ['kms:Decrypt'] as const;

/** The characters that names of secrets and parameters may have. The name of a parameter may end in `:version` or `:label`. */
const PATTERNS: Readonly<Record<KubeconfigLocation['service'], RegExp>> = {
  secretsmanager:
    /^(?:arn:aws[\w-]*:secretsmanager:([a-z0-9-]+):\d{12}:secret:)?[\w/+=.@-]{1,512}$/,
  ssm: /^(?:arn:aws[\w-]*:ssm:([a-z0-9-]+):\d{12}:parameter)?[\w./-]{1,1011}(?::[\w.-]+)?$/,
};

function isService(text: string): text is KubeconfigLocation['service'] {
  return Object.hasOwn(PATTERNS, text);
}

function isAllowance(name: string): name is keyof KubeConfigAllowance {
  return Object.hasOwn(KUBECONFIG_ALLOWANCES, name);
}

/** Whether a value is valid for an allowance: `true`, or the URL of the proxy. */
function isAllowed(name: keyof KubeConfigAllowance, value: JsonValue): boolean {
  if (KUBECONFIG_ALLOWANCES[name] === 'flag') return value === true;
  return typeof value === 'string' && URL.canParse(value);
}

/** Returns what is allowed. A value of `false` means that it is not. */
function parseAllowance(
  allow: JsonObject,
  fault: (what: string) => KubeconfigPlacesError,
): KubeConfigAllowance {
  const given = Object.entries(allow).filter(([, value]) => value !== false);
  const bad = given.find(([name, value]) => !(isAllowance(name) && isAllowed(name, value)));
  if (bad !== undefined) throw fault(PLACE_FAULTS.allowance(bad[0]));
  return Object.fromEntries(given);
}

/** Reads `secretsmanager:<ARN or name>` or `ssm:<name>`. A text is the fault. */
function parsedLocation(value: string): KubeconfigLocation | string {
  const colon = value.indexOf(':');
  const service = value.slice(0, Math.max(colon, 0));
  const id = value.slice(colon + 1);
  if (!isService(service)) return PLACE_FAULTS.noService;
  const match = PATTERNS[service].exec(id);
  if (match === null) return PLACE_FAULTS.noName(service);
  const [, region] = match;
  return { service, id, ...(region === undefined ? {} : { region }) };
}

/** Reads `secretsmanager:<ARN or name>` or `ssm:<name>`. A text is the fault, with the remedy. */
export function parseLocationText(value: string): KubeconfigLocation | string {
  const location = parsedLocation(value);
  return typeof location === 'string' ? invalidPlace(location) : location;
}

/** Reads a location, or an object with the location and what the kubeconfig may do. */
function parseLocation(
  name: string,
  given: JsonValue,
  clusterType: ClusterType,
): KubeconfigLocation {
  const fault = (what: string): KubeconfigPlacesError =>
    new KubeconfigPlacesError(clusterType, invalidPlaceOf(clusterType.title, name, what));
  const value = isObject(given) ? member(given, 'kubeconfig') : given;
  const allow = member(given, 'allow');
  if (allow !== undefined && !isObject(allow)) throw fault(PLACE_FAULTS.notAnObject);
  // Not quoted, because it might be a kubeconfig.
  if (typeof value !== 'string') throw fault(PLACE_FAULTS.notAString);
  const location = parsedLocation(value);
  if (typeof location === 'string') throw fault(location);
  return {
    ...location,
    ...(allow === undefined ? {} : { allow: parseAllowance(allow, fault) }),
  };
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    // The parser's message quotes the text, which should not contain a kubeconfig, but might.
    return undefined;
  }
}

/**
 * Reads the environment variable for a type of clusters. It is a JSON object from the names of the clusters to the locations of
 * their kubeconfigs, `secretsmanager:<ARN or name>` or `ssm:<name>`, or to objects with that location as `kubeconfig` and the
 * cluster's {@link KubeConfigAllowance} as `allow`.
 *
 * @throws KubeconfigPlacesError with the cluster, the fault and the remedy.
 */
export function parseKubeconfigLocations(
  text: string,
  clusterType = WDS_CLUSTER,
): KubeconfigLocations {
  const object = parsed(text);
  if (!isObject(object)) throw new KubeconfigPlacesError(clusterType, noPlaces(clusterType.title));
  const locations = new Map<string, KubeconfigLocation>();
  for (const [name, value] of Object.entries(object)) {
    if (name === '') throw new KubeconfigPlacesError(clusterType, emptyName(clusterType.title));
    locations.set(name, parseLocation(name, value, clusterType));
  }
  return locations;
}
