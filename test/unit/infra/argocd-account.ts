import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

interface RoleRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** What the account of infra/argocd/account.yaml may do: the rules of its ClusterRole. */
export function argocdRules(): readonly RoleRule[] {
  const objects = parseAllDocuments(readFileSync('infra/argocd/account.yaml', 'utf8'));
  const roles = objects.map((one) => one.toJS()).filter(({ kind }) => kind === 'ClusterRole');
  return roles.flatMap(({ rules }) => rules);
}

/** Whether rules allow something. */
export function isAllowedBy(
  rules: readonly RoleRule[],
  wanted: { readonly verb: string; readonly group: string; readonly resource: string },
): boolean {
  return rules.some(
    ({ apiGroups, resources, verbs }) =>
      apiGroups.includes(wanted.group) &&
      resources.includes(wanted.resource) &&
      verbs.includes(wanted.verb),
  );
}
