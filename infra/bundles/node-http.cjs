'use strict';

/**
 * Replaces `node:http` in the bundles (infra/esbuild.yml). For an ESM import, Node reads every property of a built-in
 * module. Reading `WebSocket` of `node:http` loads all of undici, which takes about 20 ms of each cold start.
 */
module.exports = process.getBuiltinModule('node:http');
