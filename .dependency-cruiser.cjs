// Which room may import which (docs/architecture.md, "Folders"). `npm run lint` checks every import of every source file.
const SOURCE = '^(functions|shared|local|infra|extensions|console|tools)/';

/** Everything below `from` imports nothing of this repository but `allowed` and itself. */
function only(from, allowed, comment) {
  const inside = from.replace(/^\^/, '').replace(/\/$/, '');
  return {
    name: `${inside
      .replace(/[^a-z-]+/g, ' ')
      .trim()
      .replaceAll(' ', '-')}-imports-only`,
    comment,
    severity: 'error',
    from: { path: from },
    to: { path: SOURCE, pathNot: [from, ...allowed] },
  };
}

/** Everything below `from` imports no packages, and nothing of Node, but `allowed`. */
function needs(from, allowed) {
  const rule = only(from, []);
  return {
    ...rule,
    name: rule.name.replace(/-imports-only$/, '-needs-only'),
    to: { pathNot: [SOURCE, ...allowed] },
  };
}

const CORE = '^shared/core/';
const PORTS = '^shared/ports/';
const STATE = '^shared/state/';
const EVENTS = '^shared/events/';
const MESSAGES = '^shared/messages/';
const OUTBOX = '^shared/outbox/';
const WATCH = '^shared/watch/';
const RUNTIME = '^shared/runtime/';
const DOCTOR = '^shared/doctor/';
const API = '^shared/api/';
const ADAPTERS = '^shared/adapters/';
const PACKAGE = '^local/package-file\\.ts$';
const BASE = '^shared/(errors|concurrency|content-hash|debts|kubectl-yaml|yaml-lines)\\.ts$';

module.exports = {
  forbidden: [
    { name: 'no-file-circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-folder-loop',
      scope: 'folder',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...['shared/[^/]+', 'shared/[^/]+/[^/]+', 'functions/[^/]+'].map((folder, index) => ({
      name: `no-folder-imports-its-subfolders-${index + 1}`,
      comment:
        'They would import each other: what subfolders share stands above them. What combines them has a subfolder, too.',
      severity: 'error',
      from: { path: `^(${folder})/[^/]+$` },
      to: { path: '^$1/[^/]+/' },
    })),
    {
      name: 'no-part-knows-the-whole',
      comment: 'The program puts the commands together, and main.tsx the screens of the page.',
      severity: 'error',
      from: { path: '^(local/[^/]+|console/page)/[^/]+/' },
      to: { path: '^$1/[^/]+$' },
    },
    {
      name: 'no-unresolved-import',
      comment: 'Of React, only the types are installed: the tab uses the React of Argo CD.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^react$' },
    },
    {
      name: 'the-page-knows-no-node',
      comment: 'It runs in a browser, with Preact and nothing else.',
      severity: 'error',
      from: { path: '^console/(model|live|page)/' },
      to: { pathNot: [SOURCE, 'node_modules/(preact|@preact)/'] },
    },
    only(CORE, [], 'Rules know neither ports nor state: they take data and return data.'),
    {
      name: 'core-is-pure',
      comment: 'No I/O: the parser of CEL and RE2 are all that rules need of others.',
      severity: 'error',
      from: { path: CORE },
      to: { pathNot: ['node_modules/re2js/', 'node_modules/@marcbachmann/cel-js/', SOURCE] },
    },
    only('^shared/errors\\.ts$', [CORE]),
    only('^shared/(concurrency|content-hash|debts|kubectl-yaml|yaml-lines)\\.ts$', []),
    only('^shared/env\\.ts$', [CORE, BASE]),
    only(PORTS, [CORE]),
    only(ADAPTERS, [PORTS, CORE, BASE], 'An adapter knows one technology and no other room.'),
    {
      name: 'an-adapter-knows-no-other-technology',
      comment:
        'Only clients of HTTP share a room, and the connections of WDSes are of Kubernetes, from parameters.',
      severity: 'error',
      from: { path: '^shared/adapters/([^/]+)/', pathNot: '^shared/adapters/(wds|parameters)/' },
      to: {
        path: '^shared/adapters/[^/]+/',
        pathNot: ['^shared/adapters/$1/', '^shared/adapters/http/'],
      },
    },
    only(STATE, [PORTS, CORE, BASE]),
    only(
      EVENTS,
      ['^shared/state/keys\\.ts$', CORE, BASE],
      'Of the state, only the limits of keys.',
    ),
    only(MESSAGES, [EVENTS, STATE, PORTS, CORE, BASE]),
    only(OUTBOX, [MESSAGES, STATE, PORTS, CORE, BASE]),
    only(WATCH, [EVENTS, PORTS, CORE, BASE]),
    only(RUNTIME, [PORTS, CORE, BASE]),
    only(DOCTOR, [STATE, PORTS, CORE, BASE]),
    only(
      API,
      [PORTS, CORE, BASE],
      'The API knows no server: a function or a process answers by it.',
    ),
    needs('^shared/ports/', []),
    needs('^shared/(state|events|messages|outbox|watch|doctor|api)/', [
      'node_modules/(zod|lru-cache|@bufbuild/protobuf)/',
      '^(node:)?(buffer|crypto|zlib|timers/promises)$',
      '^package\\.json$',
    ]),
    needs('^shared/runtime/', [
      'node_modules/(@aws-lambda-powertools|@middy|@types/aws-lambda)/',
      // What measures and tidies up the thread.
      '^(node:)?(console|perf_hooks|v8|vm)$',
    ]),
    {
      name: 'every-room-has-a-rule',
      comment: 'A new room: say here what it may import, and in docs/architecture.md.',
      severity: 'error',
      from: {
        path: '^(shared|local)/',
        pathNot: [
          '^shared/(adapters|api|core|doctor|events|messages|outbox|ports|runtime|state|watch)/',
          '^local/(api|binding-resolver|cli|console|intake|simulated-cluster|stack|start|tables)/',
          '^shared/env\\.ts$',
          BASE,
          PACKAGE,
        ],
      },
      to: {},
    },
    {
      name: 'functions-know-no-other-function',
      severity: 'error',
      from: { path: '^functions/([^/]+)/' },
      to: { path: SOURCE, pathNot: ['^functions/$1/', '^shared/'] },
    },
    {
      name: 'only-composition-roots-know-adapters',
      comment: 'handler.ts of a function and the program of the forwarder put the adapters in.',
      severity: 'error',
      from: {
        path: '^functions/',
        pathNot: ['/handler\\.ts$', '^functions/event-forwarder/program/'],
      },
      to: { path: [ADAPTERS, '^shared/env\\.ts$', 'node_modules/(@aws-sdk|@kubernetes)/'] },
    },
    {
      name: 'inside-a-function-imports-go-from-handler-to-lambda-to-use-case',
      comment: 'lambda.ts decodes and encodes; what it calls knows neither it nor who composes it.',
      severity: 'error',
      from: { path: '^functions/([^/]+)/', pathNot: '/(lambda|handler)\\.ts$' },
      to: { path: '^functions/$1/(lambda|handler)\\.ts$' },
    },
    {
      name: 'lambda-knows-no-handler',
      severity: 'error',
      from: { path: '^functions/([^/]+)/lambda\\.ts$' },
      to: { path: '^functions/$1/handler\\.ts$' },
    },
    {
      name: 'only-what-decodes-and-encodes-knows-lambda-events',
      comment:
        'lambda.ts, handler.ts, and the files in which they decode and encode. set-aside.ts knows what the batch says.',
      severity: 'error',
      from: {
        path: '^functions/',
        pathNot: [
          '/(lambda|handler|refreshed-handler)\\.ts$',
          '^functions/record-events/(letters|portions)\\.ts$',
          '^functions/serve-api/(event-body|request|status-answer|statuses)\\.ts$',
          '^functions/write-results/invocation\\.ts$',
          '^functions/aggregate-workload/set-aside\\.ts$',
        ],
      },
      to: { path: ['node_modules/@types/aws-lambda/', '^shared/runtime/batch\\.ts$'] },
    },
    {
      name: 'shared-knows-no-function',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(functions|local|infra|extensions|console)/' },
    },
    {
      name: 'no-source-knows-tests',
      severity: 'error',
      from: { path: SOURCE },
      to: { path: '^test/' },
    },
    only('^infra/', ['^shared/', '^console/bundle\\.ts$', '^tools/']),
    only('^extensions/argocd/', [CORE], 'A page knows the API, and the rules that it is made of.'),
    only(PACKAGE, []),
    only('^local/simulated-cluster/', [PACKAGE, '^shared/']),
    only('^local/binding-resolver/', ['^shared/']),
    only('^local/intake/', ['^shared/']),
    only('^local/console/', [PACKAGE, '^shared/']),
    only('^local/api/', ['^local/(intake|console)/', '^shared/']),
    only('^local/stack/', [
      PACKAGE,
      '^local/(intake|binding-resolver)/',
      '^functions/',
      '^shared/',
    ]),
    only('^local/tables/', ['^shared/']),
    only('^local/start/', [
      PACKAGE,
      '^local/(stack|api|console|intake|simulated-cluster|tables)/',
      '^functions/',
      '^shared/',
    ]),
    only(
      '^console/model/',
      [CORE],
      'What is shown is computed from what the API says, without a browser.',
    ),
    only('^console/live/', ['^console/model/', CORE]),
    only('^console/page/', ['^console/(model|live)/', CORE]),
    only('^console/bundle\\.ts$', []),
    {
      name: 'the-command-knows-the-queues-of-the-stack-only',
      severity: 'error',
      from: { path: '^local/cli/' },
      to: { path: '^local/stack/', pathNot: '^local/stack/queues\\.ts$' },
    },
    only('^local/cli/', ['^local/(start|stack|console|tables)/', '^functions/', '^shared/']),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
