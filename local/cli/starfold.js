#!/usr/bin/env node
// JavaScript, so that a Node that cannot read TypeScript can say so.
const NEEDED = 24;
if (Number.parseInt(process.version.slice(1), 10) < NEEDED) {
  process.stderr.write(
    `starfold: Node ${process.version} is too old, Node ${NEEDED} or newer is needed: run npm ci in the folder of Starfold, which installs Node ${NEEDED}, then npx starfold there\n`,
  );
  process.exitCode = 1;
} else {
  await import('./starfold.ts');
}
