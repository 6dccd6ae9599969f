/**
 * Runs the jobs, at most so many at a time. After a failure no further one is begun; what is under way is waited for, so
 * that nothing happens after the call has ended. Throws what the first failure threw.
 */
export async function runConcurrently(
  jobs: readonly (() => Promise<void>)[],
  limit: number,
): Promise<void> {
  const failures: unknown[] = [];
  const waiting = jobs.values();
  const work = async (): Promise<void> => {
    for (const job of waiting) {
      if (failures.length > 0) return;
      try {
        await job();
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, jobs.length) }, work));
  if (failures.length > 0) throw failures[0];
}
