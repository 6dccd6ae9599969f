#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Before anything else is loaded, so that the next start is fast.
enableCompileCache();
const { runProgram } = await import('./program.ts');
const { processTerminal } = await import('./terminal/terminal.ts');
const { calledAs } = await import('./called-as.ts');
const [, script = '', ...args] = process.argv;
process.exitCode = await runProgram(args, processTerminal(), calledAs(script));
