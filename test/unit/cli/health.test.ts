import { describe, expect, it } from 'vitest';
import { isArray, parseJson } from '#shared/core/json.ts';
import { ALL, fixture, starfold } from './command.ts';

const FAILED = 'Deployment "web" exceeded its progress deadline';
const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };

function health(...args: string[]) {
  const { code, out, err } = starfold(['health', '-o', 'json', ...args]);
  const results = parseJson(out);
  const list = isArray(results) ? results : [];
  return {
    code,
    err,
    results,
    web: list.find((one) => JSON.stringify(one).includes('Deployment')),
  };
}

describe('starfold health', () => {
  it('judges each object as it is given, where no WEC says anything', () => {
    const { code, err, results } = health('-f', fixture('wec2.yaml'));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(results).toEqual([
      { object: WEB, health: { status: 'Degraded', message: FAILED }, wecs: [], decidedBy: [] },
    ]);
  });

  it('judges the aggregate and every WEC, and names the WEC that decides', () => {
    expect(health(...ALL).web).toEqual({
      object: WEB,
      health: { status: 'Degraded', message: FAILED },
      wecs: [
        { name: 'wec1', health: { status: 'Healthy', message: '' } },
        { name: 'wec2', health: { status: 'Degraded', message: FAILED } },
      ],
      decidedBy: ['wec2'],
    });
  });

  it('calls an object Missing where its WEC has returned nothing, which then decides', () => {
    const { web } = health('-f', fixture('wds.yaml'), '--wec', `wec1=${fixture('wec1.yaml')}`);
    expect(web).toMatchObject({
      health: { status: 'Progressing' },
      wecs: [
        { name: 'wec1', health: { status: 'Healthy' } },
        { name: 'wec2', health: { status: 'Missing' } },
      ],
      decidedBy: ['wec2'],
    });
  });

  it('judges a WorkStatus on the object of the WDS', () => {
    const { web } = health('-f', fixture('wds.yaml'), '-f', fixture('workstatuses.yaml'));
    expect(web).toMatchObject({
      health: { status: 'Progressing' },
      wecs: [
        { name: 'wec1', health: { status: 'Healthy' } },
        { name: 'wec2', health: { status: 'Progressing' } },
      ],
      decidedBy: ['wec2'],
    });
  });

  it('is null for a kind without a rule', () => {
    const { results } = health(...ALL);
    expect(results).toContainEqual({
      object: { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'shop' },
      health: null,
      wecs: [],
      decidedBy: [],
    });
  });

  it.each(['2.14', '3'])('takes the rules of Argo CD %s', (version) => {
    expect(health(...ALL, '--argocd-version', version, '--assess', 'argocd').web).toMatchObject({
      health: { status: 'Degraded' },
    });
  });

  it('prints YAML where the output is no terminal, and a table when asked, without colours', () => {
    expect(starfold(['health', ...ALL]).out).toContain('- decidedBy:\n    - wec2\n');
    const { out } = starfold(['health', ...ALL, '-o', 'table']);
    expect(out).toMatch(/wec2 \* +│ Degraded +│ Deployment "web" exceeded its progress deadline/);
    expect(out).not.toContain('\u001b');
  });
});
