import { type ArgoCdStatus, worst } from '#shared/core/health/verdict.ts';

/** What is true of the WECs while the Application is judged. */
export interface Circumstances {
  /** Whether there is a destination that says nothing. */
  readonly isOneSilent?: boolean;
  /** Whether the WECs still have the release before. */
  readonly areLagging?: boolean;
}

/** Kinds of which a status tells which release it speaks of: until the WECs have a release, they are Progressing. */
const TELL_RELEASE: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

/** A missing object is awaited: to Argo CD itself it would be no part of the Application's health. */
function counted(verdict: ArgoCdStatus | undefined): ArgoCdStatus {
  return verdict === undefined || verdict === 'Missing' ? 'Progressing' : verdict;
}

/**
 * What Argo CD should say of an object in the WDS: the worst that it says of it in the WECs. A destination that is silent, or
 * has an older release, is Progressing; but no status of a CronJob is Progressing (docs/rules.md, "What no status can say").
 *
 * @param verdicts those on the WECs; undefined where there is no such object
 */
export function expectedOf(
  kind: string,
  verdicts: readonly (ArgoCdStatus | undefined)[],
  { isOneSilent = false, areLagging = false }: Circumstances,
): ArgoCdStatus {
  const isAwaited =
    (isOneSilent && kind !== 'CronJob') || (areLagging && TELL_RELEASE.includes(kind));
  return worst([...verdicts.map(counted), ...(isAwaited ? (['Progressing'] as const) : [])]);
}
