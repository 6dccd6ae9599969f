import { describe, expect, it } from 'vitest';
import { accessForbidden, leftOut } from '#shared/api/messages.ts';
import { Readable } from '#shared/api/readable.ts';
import { Reviews } from '#shared/api/reviews.ts';
import { at } from '#shared/core/json.ts';
import { ApiForbiddenError, ApiUnavailableError, StoreUnavailableError } from '#shared/errors.ts';
import { ALICE, AskedApi, KEYS, names, REASON, ROOT, status, WEB } from './ask.ts';

const SHOP = `${ROOT}/namespaces/shop/wecstatuses`;

function shop(): AskedApi {
  const asked = new AskedApi();
  asked.source.put(status(WEB, 'east'));
  asked.source.put(status(KEYS, 'east'));
  return asked;
}

describe('a reader', () => {
  it('needs the verb on the resource and get of the workload object', async () => {
    const asked = shop();
    await asked.ask(`${SHOP}/deployments.apps:web:east`);
    expect(asked.wds.reviews()).toEqual([
      'get wecstatuses.status.starfold.dev shop/deployments.apps:web:east',
      'get deployments.apps shop/web',
    ]);
    expect(at(asked.wds.asked[0], 'spec')).toMatchObject({
      user: 'alice',
      uid: 'u-1',
      groups: ['dev, ops'],
      extra: { scopes: ['a'] },
    });
  });

  it.each([
    ['wecstatuses', 'status.starfold.dev', 'secrets:keys:east'],
    ['secrets', '', 'keys'],
  ])(
    'who may not get %s is told so, whether or not the object exists',
    async (resource, group, name) => {
      const access = { verb: 'get', group, resource, namespace: 'shop', name };
      const message = accessForbidden('alice', access, REASON);
      const asked = shop();
      asked.wds.allows = (attributes) => attributes['resource'] !== resource;
      const { code, body } = await asked.ask(`${SHOP}/secrets:keys:east`);
      expect(code).toBe(403);
      expect(body).toMatchObject({ kind: 'Status', reason: 'Forbidden', message });
      const { code: absent } = await asked.ask(`${SHOP}/secrets:none:east`);
      expect(absent).toBe(403);
      expect(asked.source.reads).toEqual([]);
    },
  );

  it('gets a list without the objects of resources that he may not get, and a warning', async () => {
    const asked = shop();
    asked.wds.allows = ({ resource }) => resource !== 'secrets';
    const told = await asked.ask(SHOP);
    expect(names(told)).toEqual(['deployments.apps:web:east']);
    expect(told.headers['warning']).toBe(`299 - "${leftOut(['secrets'])}"`);
    expect(asked.source.reads).toEqual(['deployments.apps:web:east']);
    expect(asked.wds.reviews()).toEqual([
      'list wecstatuses.status.starfold.dev shop/',
      'get deployments.apps shop/',
      'get secrets. shop/',
    ]);
  });

  it('is warned of nothing that the selector leaves out anyway', async () => {
    const asked = shop();
    asked.wds.allows = ({ resource }) => resource !== 'secrets';
    const told = await asked.ask(
      `${SHOP}?fieldSelector=workload.resource=deployments,workload.group=apps`,
    );
    expect(told.headers).not.toHaveProperty('warning');
    expect(names(told)).toEqual(['deployments.apps:web:east']);
  });

  it('who may not list is rejected', async () => {
    const asked = shop();
    asked.wds.allows = ({ verb }) => verb !== 'list';
    const { code, body } = await asked.ask(`${ROOT}/wecstatuses`);
    expect(code).toBe(403);
    const access = { verb: 'list', group: 'status.starfold.dev', resource: 'wecstatuses' };
    expect(at(body, 'message')).toBe(
      accessForbidden('alice', { ...access, namespace: '', name: '' }, REASON),
    );
  });

  it('may be allowed single objects by name, also in lists and watches of one', async () => {
    const asked = shop();
    await asked.ask(`${SHOP}?fieldSelector=metadata.name=deployments.apps:web:east`);
    expect(asked.wds.reviews()).toEqual([
      'list wecstatuses.status.starfold.dev shop/deployments.apps:web:east',
      'get deployments.apps shop/web',
      'get secrets. shop/web',
    ]);
  });

  it('with a permission for a single object sees it alone', async () => {
    const asked = shop();
    asked.wds.allows = ({ verb, resource, name }) =>
      verb !== 'get' || (resource === 'deployments' && name === 'web');
    const url = `${SHOP}?fieldSelector=metadata.name=deployments.apps:web:east`;
    expect(names(await asked.ask(url))).toEqual(['deployments.apps:web:east']);
    expect(names(await asked.ask(SHOP))).toEqual([]);
    // A watch of an earlier revision says DELETED of what it does not select, if the reader may know of it.
    asked.source.put(status({ ...WEB, name: 'api' }, 'east'));
    // So would it of another WEC's report on the same object.
    asked.source.put(status(WEB, 'west', { state: 'Silent' }));
    asked.source.put(status(WEB, 'east', { state: 'Silent' }));
    const watch = await asked.watch(`${url}&watch=true&resourceVersion=1001`);
    expect(await watch.next()).toMatchObject({ object: { wec: 'east', state: 'Silent' } });
    await watch.leave();
  });

  it('of WECs needs only the verb on them', async () => {
    const asked = shop();
    asked.source.putWec({ name: 'east', ownLabels: {} });
    await asked.ask(`${ROOT}/wecs/east`);
    await asked.ask(`${ROOT}/wecs`);
    expect(asked.wds.reviews()).toEqual([
      'get wecs.status.starfold.dev /east',
      'list wecs.status.starfold.dev /',
    ]);
  });

  it('is reviewed again after 10 seconds, and not before', async () => {
    const asked = shop();
    await asked.ask(SHOP);
    asked.wds.allows = () => false;
    asked.nowMs += 9_999;
    expect((await asked.ask(SHOP)).code).toBe(200);
    expect(asked.wds.asked).toHaveLength(3);
    asked.nowMs += 2;
    expect((await asked.ask(SHOP)).code).toBe(403);
  });

  it('is reviewed once if he asks twice at the same time', async () => {
    const asked = shop();
    await Promise.all([asked.ask(SHOP), asked.ask(SHOP)]);
    expect(asked.wds.asked).toHaveLength(3);
  });
});

describe('a review that fails', () => {
  it.each([
    new ApiUnavailableError('create', 'no answer'),
    new ApiForbiddenError('create', 'no'),
    new Error('odd'),
  ])('is 503, and is tried again: %s', async (failure) => {
    const asked = shop();
    asked.wds.failure = failure;
    for (const url of [SHOP, `${SHOP}?watch=true`, `${SHOP}/deployments.apps:web:east`]) {
      const { code, headers, body } = await asked.ask(url);
      expect(code).toBe(503);
      expect(headers['retry-after']).toBe('1');
      expect(body).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable' });
    }
    asked.wds.failure = undefined;
    expect((await asked.ask(SHOP)).code).toBe(200);
    expect(asked.source.reads).toHaveLength(2);
  });
});

describe('a review without a decision', () => {
  it('allows nothing', async () => {
    const reviews = new Reviews({ create: async (_ref, object) => object }, () => 1);
    const access = { verb: 'get', group: '', resource: 'secrets', namespace: 'shop', name: '' };
    expect(await reviews.allows(ALICE, access)).toBe(false);
  });

  it('of a resource that was not reviewed allows nothing', () => {
    const place = { scope: 'cluster', name: '' } as const;
    const readable = new Readable(new Reviews(new AskedApi().wds, () => 1), ALICE, place);
    expect(readable.has({ group: '', resource: 'secrets' })).toBe(false);
  });
});

describe('a table that fails', () => {
  it('is 503 with a time to retry', async () => {
    const asked = shop();
    asked.source.failure = new StoreUnavailableError('query');
    const { code, headers } = await asked.ask(`${SHOP}/deployments.apps:web:east`);
    expect(code).toBe(503);
    expect(headers['retry-after']).toBe('1');
    expect(asked.errors).toEqual([asked.source.failure]);
  });

  it('in a way that nobody expects is 500 without details', async () => {
    const asked = shop();
    asked.source.failure = new Error('secret detail');
    const { code, text } = await asked.ask(SHOP);
    expect(code).toBe(500);
    expect(text).not.toContain('secret detail');
    expect(asked.errors).toEqual([asked.source.failure]);
  });
});
