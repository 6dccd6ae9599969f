'use strict';

const { join } = require('node:path');

/**
 * Only the kubeconfig classes of the Kubernetes client are used. Its index also has exec, cp and port forwarding, and the classes need
 * undici, and the clients and models of every kind, for requests that nobody makes. These would add more than 1 MB to write-results.
 * A build that needs more of the client fails.
 */
const kubeconfigOnly = {
  name: 'kubeconfig-only',
  setup(build) {
    build.onResolve({ filter: /^@kubernetes\/client-node$/ }, ({ path, ...options }) =>
      build.resolve(`${path}/dist/config.js`, options),
    );
    build.onResolve({ filter: /^undici$/ }, () => ({ path: join(__dirname, 'undici.ts') }));
    build.onResolve({ filter: /^\.\/gen\/index\.js$/ }, ({ importer }) =>
      /[\\/]client-node[\\/]dist[\\/]config\.js$/.test(importer)
        ? { path: join(__dirname, 'kubernetes-models.ts') }
        : undefined,
    );
  },
};

/** The plugins of esbuild for all bundles. serverless-esbuild loads this file (infra/esbuild.yml). */
module.exports = [kubeconfigOnly];
