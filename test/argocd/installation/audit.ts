import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import { isObject, parseJson, textAt } from '#shared/core/json.ts';

const LOG = 'audit.jsonl';

const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'None' },
  ],
};

/** Flags with which an API server writes each request that changes something into a file, before it answers. */
export async function auditFlags(folder: string): Promise<Record<string, string>> {
  const policy = join(folder, 'policy.yaml');
  await writeFile(policy, stringify(POLICY));
  return {
    'audit-policy-file': policy,
    'audit-log-path': join(folder, LOG),
    'audit-log-mode': 'blocking-strict',
  };
}

/** A request that may have changed something, also where it has changed nothing. */
export interface Write {
  /** The program, as it calls itself. */
  readonly writer: string;
  /** Such as `patch deployments/status shop/web`. */
  readonly what: string;
}

/** Neither the test, which does not say who it is, nor the API server itself. */
const IGNORED: readonly string[] = ['', 'kube-apiserver'];

function writeOf(line: string): readonly Write[] {
  const event = parseJson(line);
  if (!isObject(event)) throw new Error(`not an audit event: ${line}`);
  const [writer = ''] = textAt(event, 'userAgent').split('/');
  if (IGNORED.includes(writer)) return [];
  const of = (field: string): string => textAt(event, 'objectRef', field);
  const resource = [of('resource'), of('subresource')].filter((part) => part !== '').join('/');
  return [
    { writer, what: `${textAt(event, 'verb')} ${resource} ${of('namespace')}/${of('name')}` },
  ];
}

/** The writes of Argo CD and Starfold so far, in their order. */
export async function writesIn(folder: string): Promise<readonly Write[]> {
  const text = await readFile(join(folder, LOG), 'utf8');
  // The last line may be half written.
  return text.split('\n').slice(0, -1).flatMap(writeOf);
}

/** For how long nobody writes where all writing has ended; longer than Argo CD lets events gather or waits to retry. */
const QUIET_MS = 5_000;
const LIMIT_MS = 60_000;
const SHOWN = 10;

/**
 * Waits until neither has written anything for some seconds.
 *
 * @throws Error with the last writes when they do not end.
 */
export async function quiet(folder: string): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  for (let writes = await writesIn(folder); ; ) {
    await pause(QUIET_MS);
    const now = await writesIn(folder);
    const added = now.slice(writes.length);
    if (added.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(`writes without end: ${JSON.stringify(added.slice(-SHOWN))}`);
    writes = now;
  }
}
