import { at, isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { unknownMembers } from '#shared/core/known-members.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import type { GivenObject } from './given-objects.ts';

/** By which an entry of `targets` or `targetRestrictions` selects Clusters. */
const CRITERIA = [
  'clusterName',
  'clusterSelector',
  'clusterGroup',
  'clusterGroupSelector',
] as const;

/** All that an entry of `targetRestrictions` has, in every version of Fleet. */
const RESTRICTION: ReadonlySet<string> = new Set(['name', ...CRITERIA]);

/** What is read of an entry of `targets`. It has the options of a deployment as well, more in each version of Fleet. */
const READ_OF_TARGET: ReadonlySet<string> = new Set([...CRITERIA, 'doNotDeploy', 'source']);

/** What is read of the spec of a kind, which has more in each version of Fleet. */
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

/** The members that are probably meant as one of those that are read. */
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

/** The objects of a list in the spec, each with where it stands; what else is in it is told elsewhere. */
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
 * The fields of one of Fleet's objects that are probably misspelt, and would have changed the result: file, document,
 * object, field, and what was probably meant. An API server drops such a field, but a file keeps it. Fields that
 * Starfold does not read are not told, since other versions of Fleet have others.
 */
export function misspeltFields({ place, title, kind, object }: GivenObject): readonly string[] {
  const read = READ_OF_SPEC.get(kind) ?? new Set();
  return [
    ...nearMisses(object['spec'], 'spec', read),
    ...(kind === 'Bundle' ? misspeltTargets(object) : []),
  ].map((text) => `${place}, ${title}: ${text}`);
}
