import { writeSync } from 'node:fs';

/** Where a measured process tells what it used. */
const DESCRIPTOR = 3;

// Loaded into a process before what is measured (`node --import`): at its end it tells its processor time and its memory.
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { ms: (userCPUTime + systemCPUTime) / 1_000, mib: maxRSS / 1_024 };
  writeSync(DESCRIPTOR, JSON.stringify(usage));
});
