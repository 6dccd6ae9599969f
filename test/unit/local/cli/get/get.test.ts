import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Door } from '#local/cli/door/door.ts';
import { errorFromServer, warning } from '#local/cli/door/messages.ts';
import {
  fileAsResource,
  NAME_NEEDS_NAMESPACE,
  NAMES_OR_SELECTORS,
  NOT_FOUND_HINTS,
  neverHeard,
  noneFound,
  notFound,
  notKept,
  pairAfterResource,
  severalResources,
  unknownResource,
} from '#local/cli/get/messages.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import { objectNotFound } from '#shared/api/messages.ts';
import { at, isArray, parseJson } from '#shared/core/json.ts';
import { unknownSelectorField } from '#shared/core/status-api/messages.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';
import { KEYS, status, WEB } from '#test/unit/api/ask.ts';
import { doorOver, get } from './got.ts';

const ROLE = {
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterroles',
  namespace: '',
  name: 'a:b',
};
const WIDGET = { group: 'demo.example.com', resource: 'widget', namespace: 'shop', name: 'w' };

let source: FakeStatusSource;
let door: Door;

beforeEach(() => {
  source = new FakeStatusSource();
  source.put(status(WEB, 'east', { health: { status: 'Degraded' } }));
  source.put(status(WEB, 'west'));
  source.put(status(KEYS, 'east'));
  source.put(status(ROLE, 'east', { kind: 'ClusterRole' }));
  source.put(status(WIDGET, 'east', { kind: 'Widget' }));
  source.put(status({ ...WEB, namespace: 'default' }, 'north'));
  source.putWec({ name: 'east', ownLabels: { tier: 'gold' }, lastContact: '2026-11-25T09:59:00Z' });
  source.putWec({ name: 'west', ownLabels: {} });
  door = doorOver(source);
});

const SHOP = { namespace: 'shop' };
const WEB_TABLE = `OBJECT                 WEC    READY   HEALTH     STATE      AGE
deployments.apps/web   east   3/3     Degraded   Reported   5d
deployments.apps/web   west   3/3     Healthy    Reported   5d
`;

describe('starfold get RESOURCE/NAME', () => {
  it.each(['deployment/web', 'Deployment/web', 'deployments/web', 'deploy/web', 'deploy.apps/web'])(
    '%s is the table of what each WEC says about the object',
    async (text) => {
      const { out, err } = await get(door, [text], SHOP);
      expect({ out, err }).toEqual({ out: WEB_TABLE, err: '' });
    },
  );

  it('names WECs of which nothing is known, such as a misspelt one, but not those that only lack the object', async () => {
    for (const wec of ['eastt', 'west']) source.put(status(WEB, wec, { state: 'NotReported' }));
    const { out, err } = await get(door, ['deployment/web'], SHOP);
    expect(out.match(/NotReported/g)).toHaveLength(2);
    expect(err).toBe(`starfold: ${neverHeard('eastt')}\n`);
    for (const output of ['json', 'yaml', 'name'] as const)
      expect((await get(door, ['deployment/web'], { ...SHOP, output })).err).toBe('');
    expect((await get(door, ['deployment/web'], { ...SHOP, output: 'wide' })).err).toBe(err);
  });

  it.each([403, 503])(
    'asks about a few of many WECs, and says nothing of them after %i',
    async (code) => {
      for (let index = 0; index < 9; index += 1)
        source.put(status(WEB, `w${index}`, { state: 'NotReported' }));
      const { err } = await get(door, ['deployment/web'], SHOP);
      expect(err.trimEnd().split('\n')).toHaveLength(5);
      const refusing: Door = {
        ...door,
        ask: (request) =>
          request.path.includes('/wecs/')
            ? Promise.resolve({ code, headers: {}, body: Readable.from(['{}']) })
            : door.ask(request),
      };
      expect(await get(refusing, ['deployment/web'], SHOP)).toMatchObject({ err: '' });
    },
  );

  it('is the same as RESOURCE NAME', async () => {
    expect((await get(door, ['deploy', 'web'], SHOP)).out).toBe(WEB_TABLE);
  });

  it('finds objects without a namespace, and resources whose name is no plural', async () => {
    const roles = await get(door, ['clusterrole/a:b']);
    expect(roles.out).toContain('clusterroles.rbac.authorization.k8s.io/a:b   east');
    expect((await get(door, ['widget/w'], SHOP)).out).toContain('widget.demo.example.com/w');
  });

  it('takes the namespace of the context, otherwise default', async () => {
    expect((await get(door, ['deployment/web'])).out).toContain('north');
    const inShop = { ...door, namespace: 'shop' };
    expect((await get(inShop, ['deployment/web'])).out).toBe(WEB_TABLE);
    const all = await get(inShop, ['deployment/web'], { allNamespaces: true });
    expect(all.out).toMatch(/^NAMESPACE .*\ndefault .*north.*\nshop .*east.*\nshop .*west/);
  });

  it('shows several resources one after the other, and says what is missing', async () => {
    const texts = ['deployment/web', 'secret/keys', 'wec/east', 'secret/gone'];
    const wanted = get(door, texts, SHOP);
    await expect(wanted).rejects.toThrow(notFound('secret "gone"', NOT_FOUND_HINTS.nowhere));
    const { out } = await get(door, texts.slice(0, -1), SHOP);
    expect(out.split('\n\n')).toHaveLength(2);
    expect(out.match(/OBJECT /g)).toHaveLength(1);
  });

  it('says if the object is in another namespace', async () => {
    const wanted = get(door, ['secret/keys']);
    await expect(wanted).rejects.toThrow(
      new InputError(notFound('secret "keys"', NOT_FOUND_HINTS.elsewhere)),
    );
  });

  it.each([{ selector: 'app=other' }, { fieldSelector: 'wec=other' }])(
    'says if %j leaves out what is reported about the object',
    async (selecting) => {
      await expect(get(door, ['deployment/web'], { ...SHOP, ...selecting })).rejects.toThrow(
        notFound('deployment "web"', NOT_FOUND_HINTS.notSelected),
      );
    },
  );

  it('says of an object after a resource of the API how its own object is named', async () => {
    await expect(get(door, ['why', 'deployments.apps/web'])).rejects.toThrow(
      new UsageError(pairAfterResource('why', 'deployments.apps/web', 'deployments.apps:web')),
    );
  });

  it.each([[['deployment/']], [['/web']], [['a/b/c']], [['deployment/web', 'x']]])(
    '%j is wrong usage',
    async (args) => {
      await expect(get(door, args)).rejects.toThrow(UsageError);
    },
  );
});

describe('starfold get of a word that names no resource', () => {
  it.each([
    ['deploymnets', 'deployments'],
    ['wecstatsues', 'wecstatuses'],
    ['depoy', 'deploy'],
    ['nothing-like-it', undefined],
    ['deployments.example.com', undefined],
  ])('fails, with a suggestion and the way to a list: %s', async (word, near) => {
    const message = unknownResource(word, near);
    await expect(get(door, [word], SHOP)).rejects.toThrow(new InputError(message));
    await expect(get(door, [`${word}/web`], SHOP)).rejects.toThrow(new InputError(message));
    await expect(get(door, [word], { ...SHOP, watch: true })).rejects.toThrow(message);
  });

  it.each(['statusqueries', 'clusterstatusquery.status.starfold.dev'])(
    'says that an answer is not kept: %s',
    async (word) => {
      await expect(get(door, [word], SHOP)).rejects.toThrow(new InputError(notKept(word)));
    },
  );

  it('says that it reads one resource at a time', async () => {
    await expect(get(door, ['deploy,sts'], SHOP)).rejects.toThrow(
      severalResources('deploy,sts', 'deploy'),
    );
  });

  it('suggests a custom resource that a WEC reports, and finds nothing of it elsewhere', async () => {
    source.put(status({ ...WEB, group: 'example.com', resource: 'gadgets' }, 'east'));
    await expect(get(door, ['gadgtes'], SHOP)).rejects.toThrow(
      unknownResource('gadgtes', 'gadgets'),
    );
    const { err } = await get(door, ['gadgets'], { namespace: 'empty' });
    expect(err).toBe(`starfold: ${noneFound('empty', true)}\n`);
    await expect(get(door, ['gadgets/gone'], SHOP)).rejects.toThrow(
      notFound('gadgets "gone"', NOT_FOUND_HINTS.nowhere),
    );
  });

  it('knows the resources of Kubernetes of which WECs report nothing', async () => {
    for (const word of ['sts', 'cronjob', 'ingresses.networking.k8s.io'])
      expect((await get(door, [word], SHOP)).err).toBe(`starfold: ${noneFound('shop', true)}\n`);
  });

  it('names a file that was probably meant as input', async () => {
    await expect(get(door, ['package.json'], SHOP)).rejects.toThrow(
      fileAsResource('package.json', 'package.json'),
    );
  });
});

describe('starfold get of the resources of the API', () => {
  it('is the list of wecstatuses without an argument', async () => {
    const { out } = await get(door, [], { ...SHOP, fieldSelector: 'wec=west' });
    expect(out.split('\n')[1]).toMatch(/^deployments.apps\/web {3}west/);
    expect((await get(door, ['wecst'], SHOP)).out).toContain('secrets/keys');
  });

  it('shows WECs, all or by their names and labels', async () => {
    const both = [
      'NAME   LAST CONTACT   SILENT   OBJECTS   UNHEALTHY   VERSION',
      'east   60s            -        -         -           -\n',
    ].join('\n');
    expect((await get(door, ['wec', 'east'])).out).toBe(both);
    expect((await get(door, ['wecs.status.starfold.dev'], { selector: 'tier=gold' })).out).toBe(
      both,
    );
    expect((await get(door, ['wecs/west', 'wecs/east'])).out.split('\n')).toHaveLength(4);
  });

  it('says how other namespaces are shown, if none was chosen and nothing is found', async () => {
    expect(await get(door, ['wecst'], { fieldSelector: 'wec=nobody' })).toMatchObject({
      out: '',
      err: `starfold: ${noneFound('default', false)}\n`,
    });
  });

  it('says what kubectl says if nothing is found', async () => {
    const none = await get(door, ['wecst'], { namespace: 'empty' });
    expect(none).toMatchObject({
      out: '',
      err: `starfold: ${noneFound('empty', true)}\n`,
    });
    const selector = 'a=b';
    expect((await get(door, ['wecs'], { selector })).err).toBe(
      `starfold: ${noneFound(undefined, false)}\n`,
    );
    const wecs = { group: 'status.starfold.dev', resource: 'wecs' };
    await expect(get(door, ['wecs', 'north'])).rejects.toThrow(
      errorFromServer('NotFound', objectNotFound(wecs, 'north')),
    );
  });

  it('reads a page at a time, as one table', async () => {
    for (let number = 0; number < 25; number += 1) source.put(status(WEB, `wec-${number}`));
    const before = source.calls.length;
    const { out } = await get(door, ['wecst'], { ...SHOP, chunkSize: 10 });
    expect(out.trimEnd().split('\n')).toHaveLength(30);
    expect(source.calls.slice(before).filter((call) => call === 'wecStatuses')).toHaveLength(3);
    const lines = out.split('\n').map((line) => line.indexOf('Reported'));
    expect(new Set(lines.slice(1, 11))).toHaveLength(1);
  });

  it('rejects what contradicts itself', async () => {
    const name = ['wecst', 'deployments.apps:web:east'];
    await expect(get(door, name, { allNamespaces: true })).rejects.toThrow(
      new UsageError(NAME_NEEDS_NAMESPACE),
    );
    await expect(get(door, name, { selector: 'a=b' })).rejects.toThrow(
      new UsageError(NAMES_OR_SELECTORS),
    );
    await expect(get(door, ['wecst'], { fieldSelector: 'x=y' })).rejects.toThrow(
      errorFromServer('BadRequest', unknownSelectorField('x', [])),
    );
  });
});

describe('the output of starfold get', () => {
  it('fits a terminal, each object in one line', async () => {
    source.put(status({ ...WEB, name: 'a-name-that-is-much-longer-than-others' }, 'edge'));
    const { out } = await get(door, ['wecst'], { ...SHOP, columns: 60, output: 'wide' });
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
    expect(out).toContain('…');
  });

  it('shortens nothing on a pipe', async () => {
    const { out } = await get(door, ['wecst'], { ...SHOP, output: 'wide' });
    expect(out).toContain('deployments.apps:web:west');
    expect(out).toMatch(/REPORTED +GENERATION +BINDING +NAME\n/);
    expect(out).not.toContain('…');
  });

  it('shows no characters that control the terminal', async () => {
    source.putWec({ name: 'evil', ownLabels: {}, lastContact: '\u001b[2J\u0007' });
    expect((await get(door, ['wecs'])).out).not.toContain('\u001b');
  });

  it('is whole objects for programs: a List, or the one that was named', async () => {
    const list = parseJson((await get(door, ['wecs'], { output: 'json', chunkSize: 1 })).out);
    expect(list).toMatchObject({ apiVersion: 'v1', kind: 'List', metadata: {} });
    expect(at(list, 'items')).toMatchObject([{ kind: 'WEC' }, { kind: 'WEC' }]);
    const one = parseJson((await get(door, ['wec/east'], { output: 'json' })).out);
    expect(one).toMatchObject({ kind: 'WEC', metadata: { name: 'east' } });
    const two = parseJson(
      (await get(door, ['wec/east', 'deployment/web'], { ...SHOP, output: 'json' })).out,
    );
    const items = at(two, 'items');
    expect(isArray(items) && items.length).toBe(3);
    const none = parseJson((await get(door, ['wecs'], { output: 'json', selector: 'a=b' })).out);
    expect(at(none, 'items')).toEqual([]);
    const yaml = await get(door, ['wecs'], { output: 'yaml' });
    expect(yaml.out.split('---\n')).toHaveLength(2);
  });

  it('is names that kubectl accepts', async () => {
    const { out } = await get(door, ['deployment/web', 'wec/east'], { ...SHOP, output: 'name' });
    expect(out).toBe(
      [
        'wecstatus.status.starfold.dev/deployments.apps:web:east',
        'wecstatus.status.starfold.dev/deployments.apps:web:west',
        'wec.status.starfold.dev/east\n',
      ].join('\n'),
    );
  });

  it('shows each warning once', async () => {
    const warned: Door = {
      ...door,
      ask: async (request) => {
        const answer = await door.ask(request);
        return {
          ...answer,
          headers: { ...answer.headers, warning: '299 - "a \\"b\\"", 299 - "c"' },
        };
      },
    };
    const { err } = await get(warned, ['wecst'], { ...SHOP, chunkSize: 1 });
    expect(err).toBe(`starfold: ${warning('a "b"')}\nstarfold: ${warning('c')}\n`);
  });
});
