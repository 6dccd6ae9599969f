/**
 * Calls a function with a signal that aborts when the user ends the command (Ctrl-C) or the system does (SIGTERM). A second
 * one ends the process at once.
 */
export async function untilInterrupted(
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const names = ['SIGINT', 'SIGTERM'] as const;
  for (const name of names) process.once(name, end);
  try {
    await work(ended.signal);
  } finally {
    for (const name of names) process.off(name, end);
  }
}
