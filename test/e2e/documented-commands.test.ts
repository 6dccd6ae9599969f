/**
 * Every kubectl command of every document, on a real API server: what writes, with --dry-run=server. Where the document has
 * objects that are not here, the server says so, and nothing else. The programs of the shell run as they stand.
 */
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ROOT } from '#test/unit/docs/markdown.ts';
import { commandsOf, documentsWithCommands, PROGRAMS, play, TOOLS } from '#test/unit/docs/shell.ts';
import { clusters } from './clusters.ts';
import { kubeconfigOf } from './global-setup.ts';

/** The contexts and the user that the documents name; each is the WDS of this suite. */
const CONTEXTS = [
  ...['wds', 'wds1', 'wec1', 'wec2', 'host', 'its1', 'cluster1', 'upstream1'],
  ...['starfold-wds1', 'USER-WITH-A-TOKEN'],
];
const KUBECONFIGS = ['kubeconfig', '.starfold/kubeconfig', '.starfold/api-kubeconfig'];

/** What a server says that does not have an object or a resource, or has the namespace that another file of tests creates. */
const OF_THIS_SERVER = new RegExp(
  [
    '^Error from server \\(NotFound\\): ',
    `^error: the server doesn't have a resource type "(?:wecst|why|wecs|bdst)"$`,
    '^error: resource mapping not found for name: .* no matches for kind "StatusQuery"',
    '^error: failed to create (?:configmap|secret):? namespaces "(?:argocd|starfold)" not found$',
    '^No resources found',
    // The tests of the writer's account have run before.
    '^Error from server \\(AlreadyExists\\): namespaces "starfold" already exists$',
  ].join('|'),
  'm',
);

/** The words, the exit code and the errors of a command are recorded. What it prints goes on. */
const PRELUDE = `
kubectl() {
  local extra=() errors code=0
  case " $* " in
    *' config '*) ;;
    *' apply '* | *' create '* | *' patch '* | *' delete '* | *' set '*) extra=(--dry-run=server) ;;
  esac
  { errors=$("$KUBECTL" "$@" "\${extra[@]}" 2>&1 >&3); } 3>&1 || code=$?
  printf '%s\\0' "$*" "$code" "$errors" >> "$RECORD"
}
${PROGRAMS.filter((program) => program !== 'kubectl')
  .map((program) => `${program}() { :; }`)
  .join('\n')}
# What they would print: a manifest.
starfold() { echo '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "printed"}}'; }
/helm() { starfold; }
source() { :; }
`;

/** A trap names each program of the shell that fails. */
const TRAP = `trap 'printf "%s\\\\0" "$BASH_COMMAND" "$?" "" >> "$RECORD"' ERR`;

function prepare(folder: string): void {
  for (const name of ['docs', 'infra']) symlinkSync(join(ROOT, name), join(folder, name));
  for (const path of KUBECONFIGS) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(kubeconfig, join(folder, path));
  }
}

let kubeconfig: string;

beforeAll(() => {
  const { wds, kubeconfigPath } = clusters();
  kubeconfig = join(dirname(kubeconfigPath), 'documented');
  writeFileSync(kubeconfig, kubeconfigOf(CONTEXTS.map((name) => ({ ...wds, name }))));
});

const RUN: readonly string[] = ['kubectl', ...TOOLS];
const DOCUMENTS = documentsWithCommands()
  .map((document) => ({
    document,
    path: document.path,
    programs: commandsOf(document).map(({ program }) => program),
  }))
  .filter(({ programs }) => programs.some((program) => RUN.includes(program)));

it.each(DOCUMENTS)(
  '$path: kubectl and a real API server take its commands',
  ({ document, programs }) => {
    // The path is bash's own.
    const env = {
      KUBECTL: clusters().kubectlPath,
      KUBECONFIG: 'kubeconfig',
      url: clusters().wds.server,
    };
    const { record } = play(document, { prelude: `${PRELUDE}\n${TRAP}`, env, prepare });
    const faults: string[] = [];
    for (let at = 0; at < record.length; at += 3) {
      const [words = '', code, errors = ''] = record.slice(at, at + 3);
      if (code !== '0' && !OF_THIS_SERVER.test(errors)) faults.push(`${words}: ${code}: ${errors}`);
    }
    const ofKubectl = programs.filter((program) => program === 'kubectl');
    expect(record.length / 3).toBeGreaterThanOrEqual(ofKubectl.length);
    expect(faults).toEqual([]);
  },
);
