#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Before anything else is loaded, so that the next start is fast.
enableCompileCache();
const { runProgram } = await import('./program.ts');
const { processTerminal } = await import('./terminal.ts');
process.exitCode = await runProgram(process.argv.slice(2), processTerminal());
