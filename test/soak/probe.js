/**
 * Loaded into a process before its program (`node --expose-gc --import`): answers its parent's messages with what the
 * heap holds, in bytes (`gc`: after a full collection), and ends the process when the parent has gone. JavaScript, because removing
 * types would take memory that is measured.
 */
process.on('message', (message) => {
  if (message === 'gc') globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
process.on('disconnect', () => process.exit());
// Whether the program ends is its own affair.
process.channel?.unref();
