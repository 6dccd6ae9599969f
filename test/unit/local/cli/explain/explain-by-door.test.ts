import { beforeEach, describe, expect, it } from 'vitest';
import type { Door, DoorRequest } from '#local/cli/door/door.ts';
import { type ExplainByDoor, explanationByDoor } from '#local/cli/explain/explain-by-door.ts';
import { notAName, notBound, severalObjects } from '#local/cli/input/object-messages.ts';
import { InputError, UsageError } from '#local/cli/terminal/cli-error.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';

const ROOT = '/apis/status.starfold.dev/v1alpha1';

function explanation(name: string, namespace: string | undefined): JsonObject {
  return {
    kind: 'Explanation',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  };
}

const ALL = [
  explanation('deployments.apps:web', 'shop'),
  explanation('deployments.apps:web', 'other'),
  explanation('deployments.apps:db', 'shop'),
  explanation('clusterroles.rbac.authorization.k8s.io:a:b', undefined),
];

/** A door to a server that knows some explanations. */
class Explaining implements Door {
  readonly name = 'https://api';
  readonly requests: DoorRequest[] = [];

  #answer({ path, query }: DoorRequest): JsonObject {
    const [, place, plural, name] =
      /^\S+v1alpha1(?:\/namespaces\/([^/]+))?\/(\w+)(?:\/(.+))?$/.exec(path) ?? [];
    const isIn = ({ metadata }: JsonObject) => {
      const { namespace } = metadata as { namespace?: string };
      if (plural === 'clusterexplanations') return namespace === undefined;
      return place === undefined ? namespace !== undefined : namespace === place;
    };
    const within = ALL.filter(isIn);
    const titled = (one: JsonObject) => String((one['metadata'] as JsonObject)['name']);
    if (name !== undefined)
      return within.find((one) => titled(one) === decodeURIComponent(name)) as JsonObject;
    const fields = new Map(
      (query?.get('fieldSelector') ?? '')
        .split(',')
        .map((term) => term.split('=') as [string, string]),
    );
    const items = within.filter((one) => {
      const [resource = '', ...rest] = titled(one).split(':');
      return (
        resource.split('.')[0] === fields.get('workload.resource') &&
        rest.join(':') === fields.get('workload.name')
      );
    });
    return { items };
  }

  async ask(request: DoorRequest) {
    this.requests.push(request);
    const text = stringifyJson(this.#answer(request));
    return {
      code: 200,
      headers: { warning: '299 - "w"' },
      body: (async function* () {
        yield text;
      })(),
    };
  }

  async close(): Promise<void> {}
}

let door: Explaining;
let warnings: string[];

beforeEach(() => {
  door = new Explaining();
  warnings = [];
});

function explain(wanted: ExplainByDoor) {
  return explanationByDoor({ door, onWarning: (text) => warnings.push(text) }, wanted);
}

describe('starfold explain by a door', () => {
  it.each([
    ['deployment/web', 'other', 'namespaces/other/explanations/deployments.apps%3Aweb'],
    ['deploy/db', undefined, 'namespaces/shop/explanations/deployments.apps%3Adb'],
    [
      'clusterrole/a:b',
      undefined,
      'clusterexplanations/clusterroles.rbac.authorization.k8s.io%3Aa%3Ab',
    ],
  ])('gets %s in namespace %s', async (text, namespace, path) => {
    const found = await explain({ text, ...(namespace === undefined ? {} : { namespace }) });
    expect(found.kind).toBe('Explanation');
    expect(door.requests.at(-1)?.path).toBe(`${ROOT}/${path}`);
    expect(warnings).toContain('w');
  });

  it('asks what would be without some WECs', async () => {
    await explain({ text: 'deployment/db', without: ['east', 'west'] });
    expect(door.requests.at(-1)?.query?.get('without')).toBe('east,west');
  });

  it('wants one object', async () => {
    await expect(explain({ text: 'deployment/web' })).rejects.toThrow(
      severalObjects('deployment/web', [
        'deployments.apps/web -n other',
        'deployments.apps/web -n shop',
      ]),
    );
    const missing = { text: 'deployment/gone', namespace: 'shop' };
    await expect(explain(missing)).rejects.toThrow(new InputError(notBound(missing)));
    await expect(explain({ text: 'deployment' })).rejects.toThrow(
      new UsageError(notAName('deployment')),
    );
  });
});
