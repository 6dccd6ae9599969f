/**
 * Replaces `undici` in the bundles (infra/bundles/plugins.cjs). The Kubernetes client needs it for requests by `fetch`, which the
 * functions do not make: `shared/adapters/kubernetes/connection.ts` takes the credentials from the client, and uses
 * `node:https`. It would add 740 kB to write-results.
 */
function unused(): never {
  throw new Error('undici is not in the bundle: infra/bundles/undici.ts says why');
}

class Unused {
  constructor() {
    unused();
  }
}

export { Unused as Agent, Unused as ProxyAgent, unused as fetch };
