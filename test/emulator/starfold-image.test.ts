/**
 * The image of the whole of Starfold, run as the pod of its chart: user, security context, arguments and mounts are those that
 * helm renders. infra/local/image.sh makes the image.
 */
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import packageJson from '#package.json' with { type: 'json' };
import { at, isArray, type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import { texts } from '#test/e2e/chart-objects.ts';
import { onlyOf, starfoldObjects } from '#test/e2e/starfold-chart-objects.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { tokenOf } from '#test/fakes/token-file.ts';
import { startEmulator } from './emulator.ts';
import { startReachable } from './reachable.ts';

const IMAGE = `starfold/starfold:${packageJson.version}`;
const PATIENCE = { timeout: 60_000, interval: 200 };

async function docker(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('docker', [...args])).stdout.trim();
}

function list(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonObject[] {
  const found = at(value, ...path);
  return isArray(found) ? (found as JsonObject[]) : [];
}

/** Asks as the kubelet does, which checks no certificate. */
function ask(port: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

it('runs as the pod of the chart, and answers its probes', async () => {
  await using stack = new AsyncDisposableStack();
  const emulator = stack.use(await startEmulator());
  const wds = stack.use(await startReachable('wds1', emulator));
  const folder = await mkdtemp(join(tmpdir(), 'starfold-image-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));

  const spec = at(
    onlyOf(await starfoldObjects('remote'), 'StatefulSet'),
    'spec',
    'template',
    'spec',
  );
  const [container = {}] = list(spec, 'containers');
  const user = Number(at(spec, 'securityContext', 'runAsUser'));
  const group = Number(at(spec, 'securityContext', 'fsGroup'));
  expect(at(spec, 'securityContext', 'runAsNonRoot')).toBe(true);
  expect(at(container, 'securityContext')).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });

  const { cert, key } = selfSigned();
  const contents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    kubeconfig: { kubeconfig: wds.kubeconfig() },
    tokens: { 'tokens.yaml': `"wec/cluster1": ${tokenOf('wec/cluster1')}\n` },
    tls: { 'tls.crt': cert, 'tls.key': key },
    state: {},
  };
  const mounts: string[] = [];
  for (const mount of list(container, 'volumeMounts')) {
    const name = textAt(mount, 'name');
    const source = join(folder, name);
    await mkdir(source);
    // As the kubelet leaves volumes: of root, and of the group of the pod.
    for (const [file, content] of Object.entries(contents[name] ?? {})) {
      await writeFile(join(source, file), content, { mode: 0o440 });
      await chown(join(source, file), 0, group);
    }
    await chown(source, 0, group);
    await chmod(source, name === 'state' ? 0o2770 : 0o750);
    const readOnly = at(mount, 'readOnly') === true ? ':ro' : '';
    mounts.push('--volume', `${source}:${textAt(mount, 'mountPath')}${readOnly}`);
  }
  await chmod(folder, 0o755);

  const intake = list(container, 'ports').find(({ name }) => name === 'intake');
  const id = await docker(
    ...['run', '--detach', '--read-only', '--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges', '--user', `${user}:${group}`],
    ...['--add-host', `${emulator.host.name}:host-gateway`],
    ...['--publish', `127.0.0.1::${String(intake?.['containerPort'])}`],
    ...mounts,
    IMAGE,
    ...texts(at(container, 'args')),
  );
  stack.defer(async () => {
    await docker('rm', '--force', '--volumes', id);
  });
  const published = await docker('port', id, String(intake?.['containerPort']));
  const port = published.split(':').at(-1) ?? '';
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    const path = textAt(container, probe, 'httpGet', 'path');
    await vi.waitFor(
      async () => expect(await ask(port, path).catch(async () => docker('logs', id))).toBe(200),
      PATIENCE,
    );
  }
  await docker('stop', id);
  expect(await docker('inspect', '--format', '{{.State.ExitCode}}', id)).toBe('0');
});
