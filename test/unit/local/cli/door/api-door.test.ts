import { expect, it } from 'vitest';
import { DoorUnavailableError } from '#local/cli/door/door.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';
import { ROOT, status, WEB } from '#test/unit/api/ask.ts';
import { doorOver } from '../get/got.ts';
import { told } from './doors.ts';

/** The path of the list of a namespace. */
const listOf = (namespace: string): string => `${ROOT}/namespaces/${namespace}/wecstatuses`;

/** A source whose readings end as the test says, by their namespace. */
function slowSource(endings: ReadonlyMap<string, Promise<void>>): FakeStatusSource {
  const source = new FakeStatusSource();
  source.put(status(WEB, 'east'));
  const page = source.wecStatuses.bind(source);
  source.wecStatuses = async (request) => {
    const { scope } = request;
    if (typeof scope === 'object') await endings.get(scope.namespace);
    return page(request);
  };
  return source;
}

it('tells each of the requests that overlap its own fault', async () => {
  const [down, broken, well] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  if (down === undefined || broken === undefined || well === undefined) throw new Error('no ends');
  const endings = new Map([
    ['down', down.promise],
    ['broken', broken.promise],
    ['shop', well.promise],
  ]);
  const door = doorOver(slowSource(endings));
  const answers = ['down', 'broken', 'shop', 'none'].map((namespace) =>
    told(door, listOf(namespace)),
  );
  const outcomes = Promise.allSettled(answers);
  down.reject(new StoreUnavailableError('the table is away'));
  broken.reject(new TypeError('a fault of this program'));
  well.resolve();
  const [unavailable, faulty, complete, empty] = await outcomes;
  expect(unavailable).toMatchObject({
    reason: new DoorUnavailableError('item store unavailable: the table is away'),
  });
  expect(faulty).toMatchObject({ reason: new TypeError('a fault of this program') });
  expect(complete).toMatchObject({ value: { code: 200, body: { items: [{}] } } });
  expect(empty).toMatchObject({ value: { code: 200, body: { items: [] } } });
  await door.close();
});
