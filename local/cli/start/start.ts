import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_STATE } from '#local/cli/state/default-state.ts';
import { UsageError } from '#local/cli/terminal/cli-error.ts';
import { parseIdentity } from '#local/cli/terminal/parse-identity.ts';
import { planStart } from '#local/start/plan.ts';
import { FLEET_MODES } from '#shared/core/fleet-object.ts';
import { notAPort, notASpeed, ONE_FLEET } from './messages.ts';

/** The demo uses four consecutive ports. */
const LAST_FIRST_PORT = 65_532;
const MAX_SPEED = 10_000;

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > LAST_FIRST_PORT)
    throw new InvalidArgumentError(notAPort(LAST_FIRST_PORT));
  return port;
}

function parseSpeed(text: string): number {
  const speed = Number(text);
  if (!(speed > 0 && speed <= MAX_SPEED)) throw new InvalidArgumentError(notASpeed(MAX_SPEED));
  return speed;
}

function repeated(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function oneFleet(text: string, before: string | undefined): string {
  if (before !== undefined) throw new InvalidArgumentError(ONE_FLEET);
  return text;
}

const HELP = `
Without --wds, --wec and --fleet it starts a demo: one WDS and three WECs as small API servers on this machine, a recorded rollout
played into them. With them it works on the clusters of a kubeconfig.

With --listen, forwarders in other processes send events to POST /v1/events, each with its token. The file of --tokens
names the source that each token may report, in lines such as "wec/cluster1: TOKEN", or "wec/*: TOKEN" for the forwarder of
an ITS. A token has at least 32 characters (openssl rand -hex 32). The file is read again when it changes.

With --fleet it watches a management cluster of Rancher Fleet itself: its forwarder does not use --listen. It computes the statuses of
Fleet's objects, and writes nothing there unless --fleet-mode is write: then Fleet's own controller must not write them as
well. starfold fleet diff shows where the two differ.

With --api, kubectl and every Kubernetes client read what each WEC reports (docs/api.md). Who may read what is asked of the WDS, so
a certificate is needed. Only in the demo everybody on this machine may read: without --api it serves the API at any free port, and
beside it a page (docs/console.md). For a WDS, starfold console serves the page to its user, and --console to everybody who reaches the
address: its requests need a token, which a proxy with OIDC sends. With --fleet, the address serves what is known about
Fleet instead, only for this machine.

A WDS has one writer. The first Starfold that writes it marks it with a Lease, kube-system/starfold-writer; another one
writes nothing there and says who does. starfold takeover makes another one the writer. Give --identity where user, host
or path change between starts, as they do in containers.

Examples:
  $ starfold start
  $ starfold start --exit --speed 20
  $ starfold start --wds wds1 --wec cluster1 --wec cluster2
  $ starfold start --wds wds1 --wec cluster1 --wec cluster2 --resolve-bindings --inventory its1
  $ starfold start --wds wds1 --listen 0.0.0.0:8443 --tokens tokens.yaml --tls-cert tls.crt --tls-key tls.key
  $ starfold start --api 8081
  $ starfold start --wds wds1 --wec cluster1 --api 8443 --tls-cert tls.crt --tls-key tls.key
  $ starfold start --fleet rancher1 --api 8081
  $ starfold start --kubeconfig clusters.yaml --wds wds1=kind-wds --wec cluster1=kind-cluster1 --selector app=web

Exit codes:
  0    a signal (Ctrl-C, SIGTERM) ended it; with --exit: the rollout is done, and the WDS has the expected content
  1    it failed, such as for an invalid file; with --exit: the WDS does not have the expected content
  2    wrong usage
  130  with --exit: a signal ended it before the rollout was done; always: a second signal`;

/** Registers `starfold start`. The stack is loaded only when the command runs. */
export function addStartCommand(program: Command): void {
  program
    .command('start')
    .summary('run Starfold in this process, on a demo or on the clusters of a kubeconfig')
    .description('Runs Starfold in this process, on a demo or on the clusters of a kubeconfig.')
    .option(
      '--state <file>',
      'file with store and queues, kept between starts; folders that are missing are created',
      DEFAULT_STATE,
    )
    .option(
      '--kubeconfig <file>',
      'kubeconfig of the clusters (default: KUBECONFIG, or ~/.kube/config)',
    )
    .option(
      '--identity <text>',
      'the name of this installation in the WDS that it writes (default: USER@HOST:STATE)',
      parseIdentity,
    )
    .option('--wds <context>', 'the WDS: a context, or NAME=CONTEXT')
    .option(
      '--wec <context>',
      'a WEC: a context, or NAME=CONTEXT if Bindings use a different name (repeatable)',
      repeated,
    )
    .option(
      '--selector <labels>',
      'which objects of the WECs, by labels (default: those that Bindings name)',
    )
    .option(
      '--resource <resource>',
      'which resources of the WECs, such as deployments.apps/v1 (repeatable)',
      repeated,
    )
    .option(
      '--resolve-bindings',
      'make the Bindings follow the BindingPolicies; only if KubeStellar does not',
    )
    .option(
      '--inventory <context>',
      'the cluster with the ManagedClusters, whose labels StatusCollectors and BindingPolicies read (default with --resolve-bindings: the WDS; as long as it has none, the WECs count without labels)',
    )
    .option(
      '--listen <address>',
      'accept events by HTTP at [HOST:]PORT (default host: 127.0.0.1); --wec is then optional',
    )
    .option(
      '--tokens <file>',
      'the senders of events by HTTP: YAML, with a source and its token in each line',
    )
    .option(
      '--tls-cert <file>',
      'certificate for --listen and --api (PEM); without it, events are not encrypted',
    )
    .option('--tls-key <file>', 'its key (PEM)')
    .option(
      '--fleet <context>',
      'a management cluster of Rancher Fleet: a context, or NAME=CONTEXT; --wds is then optional',
      oneFleet,
    )
    .addOption(
      new Option(
        '--fleet-mode <mode>',
        "write its statuses, or compare them with those that Fleet's controller writes (default: compare)",
      ).choices(FLEET_MODES),
    )
    .option(
      '--api <address>',
      'serve what each WEC reports as an API for kubectl at [HOST:]PORT (default host: 127.0.0.1); with --fleet, what is known about Fleet',
    )
    .option(
      '--console',
      'serve the page with --api, for a proxy that logs users in and sends their tokens (docs/console.md)',
    )
    .option(
      '--notifications <file>',
      'webhooks and the rules that say when they are notified: YAML (docs/notifications.md)',
    )
    .option(
      '--metrics <address>',
      'serve metrics for Prometheus at [HOST:]PORT/metrics, without authentication (default host: 127.0.0.1)',
    )
    .option('--port <number>', "first of the demo's four ports (default: any free ones)", parsePort)
    .option(
      '--speed <factor>',
      'how much faster than recorded the demo is played (default: 4)',
      parseSpeed,
    )
    .option(
      '--exit',
      'end when the rollout of the demo is done: exit code 0 if the WDS has the expected content, otherwise 1',
    )
    .addHelpText('after', HELP)
    .action(async (options) => {
      const planning = planStart(options);
      if (!planning.ok) throw new UsageError(planning.fault);
      const { runStart } = await import('#local/start/start.ts');
      const code = await runStart(planning.plan, options);
      // Connections to clusters that do not answer may still be open. Nothing depends on how they end.
      process.stdout.write('', () => process.exit(code));
    });
}
