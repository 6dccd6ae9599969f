#!/usr/bin/env node
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Command, CommanderError } from 'commander';
import packageJson from '#package.json' with { type: 'json' };
import { sleep } from '#shared/concurrency.ts';
import { plainText } from '#shared/core/plain-text.ts';
import { processEnvironment } from '#shared/env.ts';
import { KubeConfigError } from '#shared/errors.ts';
import { collectAtRest } from '#shared/runtime/idle-memory.ts';
import { liveness, readiness } from './checks.ts';
import { type ForwarderConfig, readConfig } from './config.ts';
import { type Connections, createConnections } from './connections.ts';
import { type HealthServer, HealthServerError, startHealthServer } from './health-server.ts';
import { createLog, type ProgramLog } from './log.ts';
import { leaderElectionTimes, Program } from './program.ts';
import { ProxyEnvironmentError } from './proxy-environment.ts';

/** docs/forwarder.md, "Exit codes". */
const EXIT = { done: 0, failed: 1, wrongUsage: 2, interrupted: 130, terminated: 143 } as const;

const HELP = `
The configuration is described in docs/forwarder.md.

Exit codes: 0 stopped by SIGTERM or SIGINT, or the configuration is valid (--check); 1 it cannot listen, or an unexpected
error; 2 wrong usage, or the configuration is invalid; 130 and 143 a second signal ended it before the unsent events were sent.`;

function complain(lines: readonly string[]): void {
  process.stderr.write(`${lines.map(plainText).join('\n')}\n`);
}

/** Ends the process after its output has been written. Open connections prevent it from ending by itself. */
function exit(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

/** The first signal stops the process gracefully. The second one ends it at once. */
function onSignals(stopping: AbortController): void {
  const codes = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;
  for (const [signal, code] of Object.entries(codes))
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(code);
      stopping.abort();
    });
}

function onUncaught(log: ProgramLog): void {
  process.on('uncaughtException', (error) => {
    log.error('uncaught error', { error });
    process.exit(EXIT.failed);
  });
}

function serve(program: Program, config: ForwarderConfig, log: ProgramLog): Promise<HealthServer> {
  const times = leaderElectionTimes(config.leaderElection);
  return startHealthServer({
    ...config.server,
    liveness: () => liveness(program.status(), times, performance.now()),
    readiness: () => readiness(program.status()),
    metrics: () => program.metrics.text(),
    onError: (error) => log.error('the health endpoints cannot answer', { error }),
  });
}

/** The connections of the process. If they cannot be created, writes the reason to standard error and returns `undefined`. */
function connectionsOf(
  file: string,
  config: ForwarderConfig,
  log: ProgramLog,
): Connections | undefined {
  try {
    return createConnections(config, { environment: processEnvironment(), log });
  } catch (error) {
    if (error instanceof KubeConfigError) complain([`${file}: kubernetes: ${error.message}`]);
    else if (error instanceof ProxyEnvironmentError) complain([error.message]);
    else throw error;
    return undefined;
  }
}

async function runConfigured(file: string, config: ForwarderConfig): Promise<number> {
  const identity = `${hostname()}_${randomUUID()}`;
  const log = createLog(config, identity);
  const connections = connectionsOf(file, config, log);
  if (connections === undefined) return EXIT.wrongUsage;
  onUncaught(log);
  const stopping = new AbortController();
  onSignals(stopping);
  const program = new Program({
    ...{ config, connections, identity, log },
    clock: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    sleep,
  });
  try {
    const server = await serve(program, config, log);
    log.info('started', { port: server.port, version: packageJson.version });
    const endCollecting = collectAtRest();
    await program.run(stopping.signal);
    endCollecting();
    await server.close();
    log.info('stopped', {});
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof HealthServerError)) throw error;
    log.error(error.message, {});
    return EXIT.failed;
  }
}

async function runFile(file: string, checkOnly: boolean): Promise<number> {
  const reading = readConfig(file);
  if (!reading.ok) {
    complain(reading.faults);
    return EXIT.wrongUsage;
  }
  if (checkOnly) {
    process.stdout.write(`${file}: the configuration is good\n`);
    return EXIT.done;
  }
  return runConfigured(file, reading.config);
}

async function runCommandLine(args: readonly string[]): Promise<number> {
  let code: number = EXIT.done;
  const command = new Command('event-forwarder')
    .description('Watches one cluster and reports it to Starfold.')
    .version(packageJson.version)
    .requiredOption('--config <file>', 'the configuration, a YAML file')
    .option('--check', 'only check the configuration')
    .exitOverride()
    .showHelpAfterError('(add --help for help)')
    .addHelpText('after', HELP)
    .action(async ({ config, check = false }: { config: string; check?: boolean }) => {
      code = await runFile(config, check);
    });
  try {
    await command.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUsage;
    throw error;
  }
}

exit(await runCommandLine(process.argv.slice(2)));
