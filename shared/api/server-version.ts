import packageJson from '#package.json' with { type: 'json' };
import type { JsonObject } from '#shared/core/json.ts';

/** The version of Kubernetes whose conventions the API follows: the one whose kubectl and client-go it is tested with. */
export const KUBERNETES_VERSION = '1.36.3';

/**
 * The answer of `/version` (`version.Info` of k8s.io/apimachinery). Clients find out by it what a server can do, and kubectl warns if
 * it is two minor versions older or newer. So the version is that of Kubernetes, and Starfold's own is its build metadata. There is
 * no build step, so what describes a build is as in a kube-apiserver that was built without it.
 */
export function serverVersion(): JsonObject {
  const [major = '', minor = ''] = KUBERNETES_VERSION.split('.');
  return {
    major,
    minor,
    gitVersion: `v${KUBERNETES_VERSION}+starfold-${packageJson.version}`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: '',
  };
}
