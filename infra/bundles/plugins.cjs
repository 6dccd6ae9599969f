'use strict';

const { join } = require('node:path');

/**
 * Replaces the clients and models that the Kubernetes client has of every kind. Only its kubeconfig classes are used
 * (infra/esbuild.yml), which would need these for clients that nobody creates. They would add 340 kB to write-results, and 11 MB to
 * the memory of the event forwarder. An alias cannot replace a module that is imported by a relative path.
 */
const withoutModels = {
  name: 'without-models',
  setup(build) {
    build.onResolve({ filter: /^\.\/gen\/index\.js$/ }, ({ importer }) =>
      /[\\/]client-node[\\/]dist[\\/]config\.js$/.test(importer)
        ? { path: join(__dirname, 'kubernetes-models.ts') }
        : undefined,
    );
  },
};

/** The plugins of esbuild for all bundles. serverless-esbuild loads this file (infra/esbuild.yml). */
module.exports = [withoutModels];
