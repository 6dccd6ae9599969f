import { describe, expect, it } from 'vitest';
import { parseKubeconfigLocations } from '#shared/adapters/parameters/kubeconfig-locations.ts';
import {
  emptyName,
  invalidPlaceOf,
  noPlaces,
  PLACE_FAULTS,
} from '#shared/adapters/parameters/messages.ts';
import { FLEET_CLUSTER, KubeconfigPlacesError } from '#shared/errors.ts';

const SECRET_ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:starfold/wds1-AbCdEf';
const PARAMETER_ARN = 'arn:aws-cn:ssm:cn-north-1:123456789012:parameter/starfold/wds1';

function failure(text: string): KubeconfigPlacesError {
  try {
    parseKubeconfigLocations(text);
  } catch (error) {
    if (error instanceof KubeconfigPlacesError) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe('the place of a kubeconfig', () => {
  it.each([
    [`secretsmanager:${SECRET_ARN}`, 'secretsmanager', SECRET_ARN, 'eu-west-1'],
    ['secretsmanager:starfold/wds1', 'secretsmanager', 'starfold/wds1', undefined],
    ['ssm:/starfold/wds1', 'ssm', '/starfold/wds1', undefined],
    ['ssm:wds1.kubeconfig:3', 'ssm', 'wds1.kubeconfig:3', undefined],
    [`ssm:${PARAMETER_ARN}`, 'ssm', PARAMETER_ARN, 'cn-north-1'],
  ])('%s is read', (...[text, service, id, region]) => {
    const places = parseKubeconfigLocations(JSON.stringify({ wds1: text }));
    expect([...places]).toEqual([['wds1', region ? { service, id, region } : { service, id }]]);
  });

  it.each([
    ['file:/home/me/.kube/config', PLACE_FAULTS.noService],
    ['/starfold/wds1', PLACE_FAULTS.noService],
    ['toString:x', PLACE_FAULTS.noService],
    ['ssm:', PLACE_FAULTS.noName('ssm')],
    ['ssm:/starfold/*', PLACE_FAULTS.noName('ssm')],
    ['ssm:name with spaces', PLACE_FAULTS.noName('ssm')],
    [`ssm:${SECRET_ARN}`, PLACE_FAULTS.noName('ssm')],
    ['secretsmanager:', PLACE_FAULTS.noName('secretsmanager')],
    [`secretsmanager:${PARAMETER_ARN}`, PLACE_FAULTS.noName('secretsmanager')],
    [{ ssm: 'x' }, PLACE_FAULTS.notAString],
  ])('%j is rejected, with the variable, the WDS and the remedy', (place, message) => {
    const error = failure(JSON.stringify({ wds0: 'ssm:a', wds1: place }));
    expect(error.message).toBe(`WDS_KUBECONFIGS: ${invalidPlaceOf('WDS', 'wds1', message)}`);
  });
});

describe('what a kubeconfig may do', () => {
  const placed = (allow: unknown): string =>
    JSON.stringify({ wds1: { kubeconfig: 'ssm:a', allow } });

  it('is read beside its place', () => {
    const allow = { plainHttp: true, linkLocal: false, proxy: 'http://proxy.example:3128' };
    expect(parseKubeconfigLocations(placed(allow)).get('wds1')).toEqual({
      service: 'ssm',
      id: 'a',
      allow: { plainHttp: true, proxy: 'http://proxy.example:3128' },
    });
  });

  it('is empty if nothing is given', () => {
    expect(parseKubeconfigLocations('{"wds1":{"kubeconfig":"ssm:a"}}').get('wds1')).toEqual({
      service: 'ssm',
      id: 'a',
    });
  });

  it.each([
    [{ everything: true }, PLACE_FAULTS.allowance('everything')],
    [{ toString: true }, PLACE_FAULTS.allowance('toString')],
    [{ plainHttp: 'yes' }, PLACE_FAULTS.allowance('plainHttp')],
    [{ proxy: true }, PLACE_FAULTS.allowance('proxy')],
    [['plainHttp'], PLACE_FAULTS.notAnObject],
  ])('%j is rejected', (allow, message) => {
    expect(failure(placed(allow)).message).toContain(invalidPlaceOf('WDS', 'wds1', message));
  });
});

describe('the places of kubeconfigs', () => {
  it('are one for each WDS', () => {
    const places = parseKubeconfigLocations('{"wds2":"ssm:b","wds1":"ssm:a"}');
    expect([...places.keys()]).toEqual(['wds2', 'wds1']);
  });

  it('may be none', () => {
    expect(parseKubeconfigLocations('{}').size).toBe(0);
  });

  it.each(['', 'wds1=ssm:/a', '[]', '"ssm:/a"', 'null'])('cannot be read from %j', (text) => {
    expect(failure(text).message).toBe(`WDS_KUBECONFIGS: ${noPlaces('WDS')}`);
  });

  it('have no empty name', () => {
    expect(failure('{"":"ssm:a"}').message).toContain(emptyName('WDS'));
  });

  it('are not quoted if they cannot be read, because they might be kubeconfigs', () => {
    for (const text of ['token: s3cr3t', '{"wds1":"token: s3cr3t"}'])
      expect(`${failure(text).stack}${failure(text).cause}`).not.toContain('s3cr3t');
  });

  it('are called those of management clusters if they are', () => {
    const error = (text: string) => () => parseKubeconfigLocations(text, FLEET_CLUSTER);
    expect(error('{"rancher":1}')).toThrow(
      `FLEET_KUBECONFIGS: ${invalidPlaceOf('management cluster', 'rancher', PLACE_FAULTS.notAString)}`,
    );
    expect(error('[]')).toThrow(`FLEET_KUBECONFIGS: ${noPlaces('management cluster')}`);
    expect(error('{"":"ssm:a"}')).toThrow(/^FLEET_KUBECONFIGS: a management cluster has an empty/);
  });
});
