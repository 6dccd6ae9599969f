import { afterAll, beforeAll, expect } from 'vitest';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { deployment, objectAt, send } from './http-client.ts';

/** A simulated API server. Its clock moves only when a test moves it. */
export interface Wds {
  readonly url: string;
  /** The URL of the Deployments in the namespace `default`. */
  readonly deployments: string;
  /** Moves the clock. */
  pass(ms: number): void;
  /** Creates a Deployment, and gives what the API server answered. */
  created(name: string, more?: JsonObject): Promise<JsonObject>;
}

/** Starts an API server for the tests of the calling file, and ends it after them. */
export function useWds(): Wds {
  let cluster: SimulatedCluster;
  let ids = 0;
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  beforeAll(async () => {
    cluster = await startSimulatedCluster({
      name: 'wds1',
      idGenerator: () => {
        ids += 1;
        return `uid-${String(ids).padStart(5, '0')}`;
      },
      clock: () => new Date(nowMs),
    });
  });
  afterAll(() => cluster.close());
  const wds: Wds = {
    get url() {
      return cluster.url;
    },
    get deployments() {
      return `${cluster.url}/apis/apps/v1/namespaces/default/deployments`;
    },
    pass: (ms) => {
      nowMs += ms;
    },
    created: async (name, more = {}) => {
      const { code, body } = await send(wds.deployments, 'POST', { body: deployment(name, more) });
      expect(code).toBe(201);
      return objectAt(body);
    },
  };
  return wds;
}
