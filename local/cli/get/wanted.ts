import { parseObjectText } from '#local/cli/input/named-object.ts';
import { meantResources } from '#local/cli/input/resource-word.ts';
import { UsageError } from '#local/cli/terminal/cli-error.ts';
import { GROUP } from '#shared/api/api-group.ts';
import { BUNDLE_DEPLOYMENT_STATUSES } from '#shared/api/bundle-deployments.ts';
import { RESOURCES } from '#shared/api/resources.ts';
import type { ResourceNames } from '#shared/api/served-resource.ts';
import { fieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';
import { pairAfterResource } from './messages.ts';

/** Objects of a resource of the API: all, or one. */
export interface ServedObjects {
  readonly type: 'served';
  readonly names: ResourceNames;
  readonly name?: string;
}

/** What WECs report about workload objects: about all of a resource, or about one. */
export interface ReportsOf {
  readonly type: 'reports';
  /** The word for the resource: `deployment`, `deploy`, `deployments.apps`. */
  readonly word: string;
  readonly name?: string;
}

/** What a command line asks for. */
export type Wanted = ServedObjects | ReportsOf;

/** The resources of a WDS, and that of a management cluster of Fleet. */
export const SERVED: readonly ResourceNames[] = [
  ...RESOURCES.map(({ names }) => names),
  BUNDLE_DEPLOYMENT_STATUSES,
];

const DEFAULT_RESOURCE = 'wecstatuses';

/** The resource of the API that a word names. Undefined for a workload resource. */
export function servedResource(word: string): ResourceNames | undefined {
  const text = word.toLowerCase();
  const name = text.endsWith(`.${GROUP}`) ? text.slice(0, -GROUP.length - 1) : text;
  return SERVED.find(({ plural, singular, shortNames }) =>
    [plural, singular, ...shortNames].includes(name),
  );
}

function wantedOf(word: string, name?: string): Wanted {
  const names = servedResource(word);
  const named = name === undefined ? {} : { name };
  return names === undefined
    ? { type: 'reports', word, ...named }
    : { type: 'served', names, ...named };
}

function parsePair(text: string): Wanted {
  const { word, name } = parseObjectText(text);
  return wantedOf(word, name);
}

/** @throws UsageError if a resource of the API precedes `KIND/NAME`, as if that were the name of one of its objects */
function checkPairs(args: readonly string[], pair: string): void {
  const [word = ''] = args;
  if (word === pair || servedResource(word) === undefined) return;
  throw new UsageError(pairAfterResource(word, pair, pair.replace('/', ':')));
}

/**
 * Reads the arguments as kubectl does: `RESOURCE`, `RESOURCE NAME...` or `RESOURCE/NAME...`.
 *
 * @throws UsageError for any other form
 */
export function parseWanted(args: readonly string[]): readonly Wanted[] {
  const pair = args.find((text) => text.includes('/'));
  if (pair !== undefined) {
    checkPairs(args, pair);
    return args.map(parsePair);
  }
  const [word = DEFAULT_RESOURCE, ...names] = args;
  return names.length === 0 ? [wantedOf(word)] : names.map((name) => wantedOf(word, name));
}

/** The field selectors for the reports about objects, one for each resource that the word may mean. */
export function reportSelectors({ word, name }: ReportsOf): readonly string[] {
  return meantResources(word).map(({ group, resource }) =>
    fieldSelectorText({
      ...(group === undefined ? {} : { 'workload.group': group }),
      'workload.resource': resource,
      ...(name === undefined ? {} : { 'workload.name': name }),
    }),
  );
}
