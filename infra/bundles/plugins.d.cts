import type { Plugin } from 'esbuild';

declare const plugins: Plugin[];
export = plugins;
