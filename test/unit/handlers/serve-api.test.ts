import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUNDLE_STATES } from '#shared/core/fleet/bundle-state.ts';
import { putDeployments, rowOf, speak, UPSTREAM } from '#test/unit/serve-api/fleet-state.ts';
import { ask } from '#test/unit/serve-api/request.ts';
import { Deployment, STAGE } from './deployment.ts';

let deployment: Deployment;
let handler: typeof import('#functions/serve-api/handler.ts').handler;

beforeAll(async () => {
  deployment = await Deployment.start('serve-api');
  ({ handler } = await import('#functions/serve-api/handler.ts'));
});

afterAll(() => deployment.close());

describe('serve-api, as it is put together', () => {
  it('lists what is in its table, from page to page', async () => {
    await speak(deployment.store);
    const bundle = 'fleet-default/web';
    const clusters = Array.from({ length: 5 }, (_, index) => `fleet-default/edge${index}`);
    const repo = 'fleet-default/shop';
    await putDeployments(
      deployment.store,
      clusters.map((cluster) => rowOf({ bundle, cluster, repo, name: 'web' })),
    );
    for (const object of [`bundles/${bundle}`, `gitrepos/${repo}`]) {
      const url = `/v1/fleet/${UPSTREAM}/${object}/deployments?limit=3&state=${BUNDLE_STATES[0]}`;
      const first = await ask(handler, url);
      const second = await ask(handler, `${url}&cursor=${first.body['cursor']}`);
      const seen = [first, second].map(({ body }) => body['deployments'] as readonly unknown[]);
      expect(seen.map((entries) => entries.length)).toEqual([3, 2]);
      expect(second.body['cursor']).toBeUndefined();
    }
  });

  it('counts for its stage what it cannot answer', async () => {
    const broken = { pk: `FLEETDIFF#${UPSTREAM}`, sk: 'x', version: '1', body: '{' };
    await deployment.store.put([{ item: broken }]);
    expect((await ask(handler, `/v1/fleet/${UPSTREAM}/differences`)).status).toBe(500);
    expect(deployment.output()).toContainEqual(
      expect.objectContaining({ TerminalFailures: 1, service: 'serve-api', stage: STAGE }),
    );
  });
});
