/** Replaces the generated clients and models of `@kubernetes/client-node` in the bundles (infra/bundles/plugins.cjs). */
function unused(): never {
  throw new Error(
    'the clients of @kubernetes/client-node are not in the bundle: infra/bundles/plugins.cjs says why',
  );
}

class Unused {
  constructor() {
    unused();
  }
}

export { Unused as ServerConfiguration, unused as createConfiguration };
