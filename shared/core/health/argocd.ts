import { at, isArray, type JsonObject, member } from '#shared/core/json.ts';
import { assessDeployment } from './deployment.ts';
import type { ArgoCdVerdict } from './verdict.ts';

interface HealthRule {
  /** The API versions that Argo CD's rule knows. */
  readonly versions: readonly string[];
  assess(object: JsonObject): ArgoCdVerdict;
}

/** Argo CD's built-in rules, by group and kind. */
const RULES: ReadonlyMap<string, HealthRule> = new Map([
  ['apps/Deployment', { versions: ['v1'], assess: assessDeployment }],
]);

const HOOK_FINALIZER = 'argocd.argoproj.io/hook-finalizer';

function isPendingDeletion(object: JsonObject): boolean {
  if (typeof at(object, 'metadata', 'deletionTimestamp') !== 'string') return false;
  const finalizers = at(object, 'metadata', 'finalizers');
  return !(isArray(finalizers) && finalizers.includes(HOOK_FINALIZER));
}

function textOf(object: JsonObject, key: string): string {
  const value = member(object, key);
  return typeof value === 'string' ? value : '';
}

/**
 * Argo CD's health of one object as it stands in its cluster; null for a kind that Argo CD has no rule for (such an
 * object does not count in an application's health).
 *
 * @param object the whole object: apiVersion, kind, metadata, spec, status
 */
export function assessArgoCd(object: JsonObject): ArgoCdVerdict | null {
  if (isPendingDeletion(object)) return { status: 'Progressing', message: 'Pending deletion' };
  const [kind, apiVersion] = [textOf(object, 'kind'), textOf(object, 'apiVersion')];
  const slash = apiVersion.indexOf('/');
  const rule = RULES.get(`${apiVersion.slice(0, Math.max(slash, 0))}/${kind}`);
  if (rule === undefined) return null;
  if (!rule.versions.includes(apiVersion.slice(slash + 1)))
    return { status: 'Unknown', message: `unsupported ${kind} GVK: ${apiVersion}, Kind=${kind}` };
  return rule.assess(object);
}
