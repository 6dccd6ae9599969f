import { describe, expect, it } from 'vitest';
import { statusPath, wdsPath } from '#local/console/paths.ts';

const CONTROL = '/apis/control.kubestellar.io/v1alpha1';
const STATUS = '/apis/status.starfold.dev/v1alpha1';

describe('what is read of the WDS', () => {
  it.each([
    `${CONTROL}/combinedstatuses`,
    `${CONTROL}/namespaces/shop/combinedstatuses`,
    `${CONTROL}/namespaces/shop/combinedstatuses/5ab3.77c1`,
    '/openapi/v3',
    '/openapi/v3/api/v1',
    '/openapi/v3/apis/apps',
    '/openapi/v3/apis/apps/v1',
  ])('is %s', (path) => {
    expect(wdsPath(path)).toBe(path);
  });

  it.each([
    CONTROL,
    `${CONTROL}/`,
    `${CONTROL}/bindings`,
    `${CONTROL}/combinedstatuses/`,
    `${CONTROL}/combinedstatuses/one`,
    `${CONTROL}/namespaces/shop`,
    `${CONTROL}/namespaces/shop/bindings`,
    `${CONTROL}/namespaces/shop/combinedstatuses/one/status`,
    `${CONTROL}/namespaces/../combinedstatuses`,
    `${CONTROL}/namespaces/%2e%2e/combinedstatuses`,
    `${CONTROL}/namespaces/a%2fb/combinedstatuses`,
    `${CONTROL}/namespaces//combinedstatuses`,
    `${CONTROL}/namespaces/%zz/combinedstatuses`,
    `${CONTROL}/namespaces/a%00/combinedstatuses`,
    `${CONTROL}/namespaces/a%0d%0ab/combinedstatuses`,
    `/${CONTROL}/combinedstatuses`,
    `${CONTROL}/namespaces/shop/combinedstatuses/..%2f..%2fsecrets`,
    `${CONTROL}/watch/combinedstatuses`,
    'http://elsewhere/openapi/v3',
    '/openapi/v2',
    '/openapi/v3/api/v1/x',
    '/openapi/v3/version',
    '/openapi/v3/apis',
    '/openapi/v3/apis/status.starfold.dev/v1alpha1',
    '/api/v1/secrets',
    '/apis/apps/v1/deployments',
    '/version',
    '/',
    '',
  ])('is not %s', (path) => {
    expect(wdsPath(path)).toBeUndefined();
  });

  it('has one spelling', () => {
    const sent = wdsPath(`${CONTROL}/n%61mespaces/sh%6Fp/combinedstatuses/a b%20c\\d`);
    expect(sent).toBe(`${CONTROL}/namespaces/shop/combinedstatuses/a%20b%20c%5Cd`);
  });
});

describe('what is asked of Starfold', () => {
  it.each([
    STATUS,
    `${STATUS}/wecs`,
    `${STATUS}/namespaces/shop/wecstatuses/deployments.apps%3Aweb%3Aedge-1`,
    '/openapi/v3',
    '/openapi/v3/apis/status.starfold.dev/v1alpha1',
  ])('is %s', (path) => {
    expect(statusPath(path)).toEqual({ path, isQuery: false });
  });

  it.each([`${STATUS}/clusterstatusqueries`, `${STATUS}/namespaces/shop/statusqueries`])(
    'is posted to %s',
    (path) => {
      expect(statusPath(path)).toEqual({ path, isQuery: true });
    },
  );

  it.each([
    `${STATUS}/namespaces/statusqueries`,
    `${STATUS}/namespaces/shop/statusqueries/one`,
    `${STATUS}/namespaces/shop/wecstatuses/statusqueries`,
  ])('is not posted to %s', (path) => {
    expect(statusPath(path)?.isQuery).toBe(false);
  });

  it.each([
    '/apis/status.starfold.dev/v1',
    `${STATUS}/../../../api/v1/secrets`,
    `${STATUS}/%2e%2e/x`,
    '/apis',
    '/openapi/v3/apis/apps/v1',
    '/api/v1/namespaces/shop',
  ])('is not %s', (path) => {
    expect(statusPath(path)).toBeUndefined();
  });
});
