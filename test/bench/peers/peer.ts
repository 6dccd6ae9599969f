import { isDeepStrictEqual } from 'node:util';
import { measure } from 'mitata';
import type { Figure } from '../figure.ts';

/** Why a peer cannot be measured here, and what to do about it. */
export class PeerMissing extends Error {}

/** A program that does what Starfold does, beside which Starfold is measured. */
export interface Peer {
  readonly name: string;
  /** @throws PeerMissing if it cannot be measured on this machine. */
  measure(): Promise<readonly Figure[]>;
}

/**
 * The figures of the peers that are there. For each of the others, a line says that it was left out, and why.
 *
 * @param say takes these lines
 */
export async function measurePeers(
  peers: readonly Peer[],
  say: (line: string) => void,
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, measure } of peers)
    try {
      figures.push(...(await measure()));
    } catch (error) {
      if (!(error instanceof PeerMissing)) throw error;
      say(`${name} was left out: ${error.message}`);
    }
  return figures;
}

/** @throws Error if a peer makes another result of the same inputs: then its time says nothing. */
export function requireSame(what: string, ours: unknown, theirs: unknown): void {
  if (isDeepStrictEqual(ours, theirs)) return;
  throw new Error(`${what}: ${JSON.stringify(ours)} here, ${JSON.stringify(theirs)} in the peer`);
}

/**
 * The median time of a call in nanoseconds, when it has been compiled: as peers in Go are from the beginning. Of two measurements,
 * the first one warms up.
 */
export async function compiledNanoseconds(work: () => unknown): Promise<number> {
  const options = { min_samples: 7, min_cpu_time: 5e8 };
  await measure(work, options);
  return (await measure(work, options)).p50;
}

/** In a millisecond. */
export const NANOSECONDS_PER_MS = 1e6;

/** {@link compiledNanoseconds} in milliseconds. */
export async function compiledMilliseconds(work: () => unknown): Promise<number> {
  return (await compiledNanoseconds(work)) / NANOSECONDS_PER_MS;
}
