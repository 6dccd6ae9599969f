import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { HOSTILE_BATCHES, said } from '#test/hostile/events.ts';
import { HOSTILE_EXPRESSIONS } from '#test/hostile/expressions.ts';
import { collectorsOf } from '#test/hostile/folded-result.ts';
import { BENIGN, HOSTILE_RESULTS, type HostileResult } from '#test/hostile/results.ts';
import { STARFOLD } from '#test/unit/local/cli/command.ts';

const CHILD = join(import.meta.dirname, 'hostile-child.ts');
const CONTROL = 'control.kubestellar.io/v1alpha1';

/** A process to measure. */
export interface MeasuredProcess {
  readonly name: string;
  /** What Node is given. */
  readonly args: () => readonly string[];
}

/** A hostile input, and a benign one of the same number of WECs that goes the same way. */
export interface HostileCase extends MeasuredProcess {
  readonly benign: MeasuredProcess;
}

function file(name: string, text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'starfold-hostile-')), name);
  writeFileSync(path, text);
  return path;
}

/** A value as JSON; lists in lists of any depth, of which `stringifyJson` would exhaust the stack. */
function textOf(value: JsonValue): string {
  let [inner, depth] = [value, 0];
  while (Array.isArray(inner) && inner.length === 1) {
    inner = inner[0];
    depth += 1;
  }
  return `${'['.repeat(depth)}${stringifyJson(inner)}${']'.repeat(depth)}`;
}

function objectText(status: JsonObject): string {
  const fields = Object.entries(status).map(
    ([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`,
  );
  const metadata = { name: 'web', namespace: 'shop', uid: 'u1', generation: 1 };
  const rest = stringifyJson({ apiVersion: 'example.org/v1', kind: 'Thing', metadata });
  return `${rest.slice(0, -1)},"status":{${fields.join(',')}}}`;
}

/** The arguments of `starfold eval` for a case. */
function evalArgs(one: HostileResult): readonly string[] {
  const wecs = Array.from({ length: one.wecs }, (_wec, index) => `wec${index}`);
  const bound = {
    ...{ group: 'example.org', version: 'v1', resource: 'things' },
    ...{ namespace: 'shop', name: 'web' },
    statusCollectors: collectorsOf(one).map(([name]) => name),
    wantMultiWECReportedState: one.wantsStatus ?? false,
  };
  const spec = {
    destinations: wecs.map((clusterId) => ({ clusterId })),
    workload: { namespaceScope: [bound] },
  };
  const binding = { apiVersion: CONTROL, kind: 'Binding', metadata: { name: 'b', uid: 'b' }, spec };
  const collectors = collectorsOf(one).map(([name, of]) =>
    stringifyJson({ apiVersion: CONTROL, kind: 'StatusCollector', metadata: { name }, spec: of }),
  );
  const objects = [objectText({}), stringifyJson(binding), ...collectors];
  const returned = wecs.map(
    (wec, index) => `${wec}=${file(`${wec}.json`, objectText(one.status(index)))}`,
  );
  const wds = file('wds.json', `{"apiVersion":"v1","kind":"List","items":[${objects.join(',')}]}`);
  return [STARFOLD, 'eval', '-f', wds, ...returned.flatMap((one) => ['--wec', one]), '-o', 'json'];
}

const RECORD_BENIGN: MeasuredProcess = {
  name: 'a benign batch of events',
  args: () => [CHILD, 'record', file('body', `[${said('bad')}]`)],
};

function benignEval(wecs: number): MeasuredProcess {
  return { name: `eval, ${wecs} WECs`, args: () => evalArgs({ ...BENIGN, wecs }) };
}

function benignFold(wecs: number): MeasuredProcess {
  return { name: `fold, ${wecs} WECs`, args: () => [CHILD, 'benign', String(wecs)] };
}

function expressionCases(): readonly HostileCase[] {
  return HOSTILE_EXPRESSIONS.map(({ name, expression, status }) => {
    const collectors = { hostile: { select: [{ name: 'c', def: expression }] } };
    const one: HostileResult = { name, collectors, wecs: 1, status, tells: [] };
    return { name: `eval: ${name}`, args: () => evalArgs(one), benign: benignEval(1) };
  });
}

function resultCases(): readonly HostileCase[] {
  return HOSTILE_RESULTS.map((one): HostileCase => {
    const { name, wecs } = one;
    if (one.foldAlone !== true)
      return { name: `eval: ${name}`, args: () => evalArgs(one), benign: benignEval(wecs) };
    return { name: `fold: ${name}`, args: () => [CHILD, 'fold', name], benign: benignFold(wecs) };
  });
}

/** The whole corpus: expressions and results through `starfold eval` or the fold, batches of events through record-events. */
export function hostileCases(): readonly HostileCase[] {
  const batches = HOSTILE_BATCHES.map(({ what, body }) => ({
    name: `record-events: ${what}`,
    args: () => [CHILD, 'record', file('body', body())],
    benign: RECORD_BENIGN,
  }));
  return [...expressionCases(), ...resultCases(), ...batches];
}
