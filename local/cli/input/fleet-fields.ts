import { at, isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { unknownMembers } from '#shared/core/known-members.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import type { GivenObject } from './given-objects.ts';
import { aboutObject } from './messages.ts';

/** The fields with which an entry of `targets` or `targetRestrictions` selects Clusters. */
const CRITERIA = [
  'clusterName',
  'clusterSelector',
  'clusterGroup',
  'clusterGroupSelector',
] as const;

/** All fields of an entry of `targetRestrictions`, in every version of Fleet. */
const RESTRICTION: ReadonlySet<string> = new Set(['name', ...CRITERIA]);

/**
 * The fields that are read of an entry of `targets`. An entry also has the options of a deployment, and more in each
 * version of Fleet.
 */
const READ_OF_TARGET: ReadonlySet<string> = new Set([...CRITERIA, 'doNotDeploy', 'source']);

/** The fields that are read of the spec of a kind. The spec has more in each version of Fleet. */
const READ_OF_SPEC: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Bundle', new Set(['targets', 'targetRestrictions', 'targetCustomizationMode'])],
  [
    'BundleDeployment',
    new Set([
      'deploymentID',
      'stagedDeploymentID',
      'options',
      'paused',
      'offSchedule',
      'waitingForValues',
    ]),
  ],
]);

/** The members that are probably misspelt names of fields that are read. */
function nearMisses(
  value: JsonValue | undefined,
  path: string,
  read: ReadonlySet<string>,
): readonly string[] {
  if (!isObject(value)) return [];
  const near = Object.entries(value).filter(
    ([name]) => !read.has(name) && nearestName(name, read) !== undefined,
  );
  return unknownMembers(Object.fromEntries(near), path, read);
}

/** The objects of a list in the spec, each with its path. Other entries are reported elsewhere. */
function entriesOf(object: JsonObject, list: string): readonly (readonly [string, JsonObject])[] {
  const entries = at(object, 'spec', list);
  if (!isArray(entries)) return [];
  return entries.flatMap((entry, index) =>
    isObject(entry) ? [[`spec.${list}[${index}]`, entry] as const] : [],
  );
}

function misspeltTargets(bundle: JsonObject): readonly string[] {
  return [
    ...entriesOf(bundle, 'targets').flatMap(([path, entry]) =>
      nearMisses(entry, path, READ_OF_TARGET),
    ),
    ...entriesOf(bundle, 'targetRestrictions').flatMap(([path, entry]) =>
      unknownMembers(entry, path, RESTRICTION),
    ),
  ];
}

/**
 * The fields of one of Fleet's objects that are probably misspelt and would change the result: file, document, object,
 * field, and what was probably meant. An API server drops such a field, but a file keeps it. Other fields that Starfold
 * does not read are not reported, because versions of Fleet differ in them.
 */
export function misspeltFields(given: GivenObject): readonly string[] {
  const { kind, object } = given;
  const read = READ_OF_SPEC.get(kind) ?? new Set();
  return [
    ...nearMisses(object['spec'], 'spec', read),
    ...(kind === 'Bundle' ? misspeltTargets(object) : []),
  ].map((text) => aboutObject(given, text));
}
