import { expect, it } from 'vitest';
import { OTHER_STATUS } from '#local/cli/door/messages.ts';
import { explanationText } from '#local/cli/explain/explanation-text.ts';
import { notInWds, wdsRejects } from '#local/cli/explain/messages.ts';
import { notSentTo } from '#shared/api/list-messages.ts';
import type { Explanation } from '#shared/core/explanation/explanation.ts';
import { at, type JsonObject, parseJson } from '#shared/core/json.ts';
import { decisionReason } from '#shared/core/status-api/messages.ts';
import { NOT_APPLIED } from '#shared/state/status-source/workload-state.ts';
import { ALL, starfold } from '../command.ts';
import { Place, stateFile } from './doors.ts';

function explained(...args: readonly string[]): JsonObject {
  const { code, out, err } = starfold([...args, '-o', 'json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return parseJson(out) as JsonObject;
}

it('explains by a state file as it explains files', async () => {
  await using place = new Place();
  const { file } = await stateFile(place);
  const args = ['deployment/web', '-n', 'shop', '--state', file];
  const { out } = starfold(['explain', ...args]);
  const reason = decisionReason({ singleton: 0, multiWEC: 1 }, 7);
  expect(out.split('\n').slice(0, 2)).toEqual(['Deployment shop/web', `Aggregate: ${reason}`]);
  expect(out).toMatch(/^readyReplicas +\S+ +lowest/m);
  const without = explained('explain', ...args, '--without', 'edge,x');
  expect(without).toMatchObject({ kind: 'Explanation', without: ['edge', 'x'] });
  const missing = starfold(['explain', ...args, '--without', 'edgy']);
  expect(missing).toMatchObject({ code: 1, out: '' });
  const web = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };
  expect(missing.err).toContain(notSentTo(web, 'edgy', 'edge'));
  // There is a Deployment of this name in several namespaces.
  expect(starfold(['explain', 'deployment/web', '--state', file])).toMatchObject({ code: 1 });
  const role = explained('explain', 'clusterrole/system:node', '--state', file);
  expect(role).toMatchObject({ kind: 'ClusterExplanation' });
});

it('says the same of files by the API', () => {
  const { metadata: _own, ...byEval } = explained('explain', 'deployment/web', ...ALL);
  const { metadata, applied, refused, ...byApi } = explained(
    ...['get', 'why', 'deployments.apps:web', '-n', 'shop', ...ALL],
  );
  expect(byApi).toEqual(byEval);
  expect(metadata).toMatchObject({
    name: 'deployments.apps:web',
    labels: { 'starfold.dev/workload': 'web' },
  });
  expect({ applied, refused }).toEqual({
    applied: { upToDate: false, problem: OTHER_STATUS },
    refused: [],
  });
});

it('selects explanations of files by fields and labels', () => {
  const names = (...args: readonly string[]): readonly string[] =>
    starfold(['get', 'why', '-A', '-o', 'name', ...args, ...ALL])
      .out.trimEnd()
      .split('\n');
  const web = ['explanation.status.starfold.dev/deployments.apps:web'];
  expect(names('--field-selector', 'workload.name=web,health=Degraded')).toEqual(web);
  expect(names('-l', 'starfold.dev/resource=deployments.apps')).toEqual(web);
  expect(names('--field-selector', 'workload.name=gone')).toEqual(['']);
});

it('says whether the WDS has the status', () => {
  const explanation = explained('explain', 'deployment/web', ...ALL) as unknown as Explanation;
  const text = (more: Partial<Explanation>) => explanationText({ ...explanation, ...more }, 80);
  expect(text({ applied: { upToDate: true }, refused: [] })).toBe(text({}));
  const applied = { upToDate: false, problem: NOT_APPLIED.unaggregated };
  expect(text({ applied })).toContain(`\n${notInWds(NOT_APPLIED.unaggregated)}\n`);
  expect(text({ refused: ['replicas: must be less'] })).toContain(
    `\n${wdsRejects('replicas: must be less')}\n`,
  );
  expect(at(explanation as unknown as JsonObject, 'kind')).toBe('Explanation');
});
