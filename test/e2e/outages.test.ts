import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  apply,
  type ClusterName,
  clusters,
  createNamespace,
  remove,
  setStatus,
} from './clusters.ts';
import {
  bind,
  clear,
  collect,
  combinedStatusRef,
  controlRef,
  eventually,
  inWds,
} from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { type StackChild, startStackChild } from './stack-child.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { deployment } from './workloads.ts';

const namespace = 'outages';
const binding = controlRef('bindings', 'outages');
const all = clusters();
const { wds, wec1, wec2 } = all;
const { ref, object } = deployment({ namespace, name: 'web' });
const status = inWds(ref, 'status');
const proxies = new Map<ClusterName, TcpProxy>();
let folder: string;
let stack: StackChild;

/** The run's kubeconfig with a proxy before each API server. */
async function proxiedKubeconfig(): Promise<string> {
  let kubeconfig = await readFile(all.kubeconfigPath, 'utf8');
  for (const { name, server } of [wds, wec1, wec2]) {
    const proxy = await startTcpProxy(server);
    proxies.set(name, proxy);
    kubeconfig = kubeconfig.replace(server, proxy.server);
  }
  folder = await mkdtemp(join(tmpdir(), 'starfold-outages-'));
  const path = join(folder, 'kubeconfig');
  await writeFile(path, kubeconfig, { mode: 0o600 });
  return path;
}

async function whileDown(name: ClusterName, happens: () => Promise<void>): Promise<void> {
  const proxy = proxies.get(name);
  await proxy?.cut();
  try {
    await happens();
  } finally {
    await proxy?.restore();
  }
}

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    await apply(cluster, ref, object);
  }
  for (const wec of [wec1, wec2]) await setStatus(wec, ref, rolledOut(1, 3, minute(0)));
  await collect('outages', { combinedFields: [{ name: 'wecs', type: 'COUNT' }] });
  stack = await startStackChild({ kubeconfigPath: await proxiedKubeconfig() });
  const modulation = { wantMultiWECReportedState: true, statusCollectors: ['outages'] };
  await bind({ name: binding.name, destinations: ['wec1', 'wec2'], objects: [[ref, modulation]] });
  await eventually(status, rolledOut(1, 3, minute(0)));
});
afterAll(async () => {
  await clear(wds, [binding, ref]);
  await stack.dispose();
  for (const proxy of proxies.values()) await proxy.cut();
  await rm(folder, { recursive: true, force: true });
});

describe('a WEC that is down', () => {
  it('holds up no other one, counts as it last was, and is caught up with', async () => {
    await whileDown('wec2', async () => {
      await setStatus(wec2, ref, rolledOut(1, 7, minute(2)));
      await setStatus(wec1, ref, rolledOut(1, 2, minute(1)));
      await eventually(status, rolledOut(1, 2, minute(1)));
      await setStatus(wec1, ref, rolledOut(1, 9, minute(1)));
      await eventually(status, rolledOut(1, 3, minute(1)));
    });
    await eventually(status, rolledOut(1, 7, minute(2)));
  });

  it('tells of what was deleted meanwhile', async () => {
    await whileDown('wec2', () => remove(wec2, ref));
    await eventually(inWds(ref, 'status', 'readyReplicas'), undefined);
    await apply(wec2, ref, object);
    await setStatus(wec2, ref, rolledOut(1, 3, minute(3)));
    await eventually(status, rolledOut(1, 3, minute(3)));
  });
});

describe('a WDS that is down', () => {
  it('says what the WECs said meanwhile once it is back', async () => {
    const slot = await combinedStatusRef(ref, binding.name);
    await whileDown('wds', async () => {
      await setStatus(wec1, ref, rolledOut(1, 4, minute(4)));
      await setStatus(wec2, ref, rolledOut(1, 5, minute(5)));
      // The writer has tried, and failed.
      await eventually(async () => stack.log().includes('ApiUnavailableError'), true);
      await remove(wds, slot);
      expect(await status()).toEqual(rolledOut(1, 3, minute(3)));
    });
    await eventually(status, rolledOut(1, 4, minute(5)));
    const rows = [{ columns: [{ type: 'Number', float: '2' }] }];
    await eventually(inWds(slot, 'results'), [{ name: 'outages', columnNames: ['wecs'], rows }]);
  });

  it('may be down when the stack starts', async () => {
    await stack.kill();
    await whileDown('wds', async () => {
      await stack.start();
      await setStatus(wec1, ref, rolledOut(1, 6, minute(6)));
      await setStatus(wec2, ref, rolledOut(1, 6, minute(6)));
    });
    await eventually(status, rolledOut(1, 6, minute(6)));
  });
});
