/** Labels as users write them. */
export type Labels = Readonly<Record<string, string>>;
/** A label selector as users write it. */
export interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}
/** An entry of the targets or restrictions of a Bundle. */
export interface Entry {
  readonly clusterName?: string;
  readonly clusterSelector?: Selector | null;
  readonly clusterGroup?: string;
  readonly clusterGroupSelector?: Selector | null;
  readonly doNotDeploy?: boolean;
  readonly source?: string;
}
/** What the metadata of a Cluster or ClusterGroup says. */
export interface Metadata {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly deletionTimestamp?: string;
}
/** A Bundle in fleet-default, and what it can select. */
export interface World {
  readonly mode: string;
  readonly targets: readonly Entry[];
  readonly restrictions: readonly Entry[];
  readonly clusters: readonly Metadata[];
  readonly groups: readonly (Metadata & { readonly selector: Selector | null })[];
}

/** Where the Bundle is. */
export const NAMESPACE = 'fleet-default';
/** The label with the name that users know a Cluster by. */
export const DISPLAY_NAME = 'management.cattle.io/cluster-display-name';

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, own: Labels): boolean {
  const is = (key: string, values: readonly string[]) => values.includes(own[key] ?? 'none');
  return (
    Object.entries(matchLabels).every(([key, wanted]) => own[key] === wanted) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return key in own;
      if (operator === 'DoesNotExist') return !(key in own);
      return is(key, values) === (operator === 'In');
    })
  );
}

function meets(asked: Entry, own: Metadata, of: Pick<Metadata, 'name' | 'labels'>): boolean {
  const answers: boolean[] = [];
  if (asked.clusterName)
    answers.push([own.name, own.labels[DISPLAY_NAME]].includes(asked.clusterName));
  if (asked.clusterSelector) answers.push(selects(asked.clusterSelector, own.labels));
  if (asked.clusterGroup) answers.push(of.name === asked.clusterGroup);
  if (asked.clusterGroupSelector) answers.push(selects(asked.clusterGroupSelector, of.labels));
  return answers.length > 0 && !answers.includes(false);
}

/** The rules as a reader of Fleet's documentation would apply them to one Cluster. */
export function isWanted(given: World, own: Metadata): boolean {
  const { targets, restrictions } = given;
  if (own.namespace !== NAMESPACE || own.deletionTimestamp !== undefined) return false;
  const members = given.groups.filter(
    (of) => of.namespace === NAMESPACE && of.selector && selects(of.selector, own.labels),
  );
  const tried = members.length > 0 ? members : [{ name: '', labels: {} }];
  const customizes = ({ source }: Entry, index: number) =>
    source
      ? source === 'customization'
      : restrictions.length > 0 && index < targets.length - restrictions.length;
  const first = targets.find(
    (target, index) =>
      !customizes(target, index) &&
      tried.some(
        (of) =>
          meets(target, own, of) &&
          (restrictions.length === 0 || restrictions.some((one) => meets(one, own, of))),
      ),
  );
  const matching = targets.filter(
    (target, index) => customizes(target, index) && tried.some((of) => meets(target, own, of)),
  );
  const applied = given.mode === 'AllMatches' ? matching : matching.slice(0, 1);
  return first !== undefined && ![first, ...applied].some(({ doNotDeploy }) => doNotDeploy);
}
