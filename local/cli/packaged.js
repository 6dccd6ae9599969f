#!/usr/bin/env node
// The command of the npm package (infra/release), in syntax that an old Node can read, so that it can say that it is too old.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(
    `starfold: Node ${process.version} is too old: install Node 22.13 or newer, which has node:sqlite\n`,
  );
  process.exitCode = 1;
} else {
  // Node 22 warns that node:sqlite is experimental. The package is tested with it, and users can do nothing about it.
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('SQLite ')) return;
    for (const listener of listeners) listener(warning);
  });
  await import('./starfold.ts');
}
