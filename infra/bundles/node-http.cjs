'use strict';

/**
 * Stands for `node:http` in the bundles (infra/esbuild.yml). Node makes what an ESM import sees by reading every property of
 * a built-in module, and reading `WebSocket` of `node:http` loads all of undici: about 20 ms of each cold start.
 */
module.exports = process.getBuiltinModule('node:http');
