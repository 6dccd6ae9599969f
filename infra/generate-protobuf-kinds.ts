import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_KINDS } from '#shared/core/schema/built-in-kinds.ts';

/** The Go modules that define the messages, and their version: that of the Kubernetes version of a simulated cluster. */
const MODULES = ['k8s.io/api', 'k8s.io/apimachinery'];
const VERSION = 'v0.36.3';
/** The generated file. */
const PROTOBUF_KINDS = new URL('../local/simulated-cluster/protobuf-kinds.json', import.meta.url);
/** The groups that a simulated cluster serves and whose kinds have a form in protocol buffers. */
const GROUPS =
  /^(|apps|autoscaling|batch|coordination\.k8s\.io|networking\.k8s\.io|policy|rbac\..+)$/;
const META = 'k8s.io/apimachinery/pkg/apis/meta/v1';

/** A package of Go: its imports by the name that the source uses, and the texts of its types by their name. */
interface Package {
  readonly imports: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, string>;
}

const folders = MODULES.map((module) => {
  const answer = execFileSync('go', ['mod', 'download', '-json', `${module}@${VERSION}`], {
    encoding: 'utf8',
  });
  return [`${module}/`, String(JSON.parse(answer).Dir)] as const;
});

const IMPORT = /^\t(?:(\w+) )?"(k8s\.io\/(?:api|apimachinery)\/[^"]+)"$/gm;
const TYPE = /^type (\w+) (?:= )?(struct \{\n[\s\S]*?^\}|[^\s{]+$)/gm;
const packages = new Map<string, Package>();

function packageOf(path: string): Package {
  const known = packages.get(path);
  if (known) return known;
  const [prefix = '', folder = ''] = folders.find(([module]) => path.startsWith(module)) ?? [];
  const directory = join(folder, path.slice(prefix.length));
  const sources = readdirSync(directory)
    .filter((name) => /^[a-z]+\.go$/.test(name))
    .map((name) => readFileSync(join(directory, name), 'utf8'));
  const imports = sources.flatMap((source) =>
    [...source.matchAll(IMPORT)].map(
      ([, name, target = '']) =>
        [name ?? target.slice(target.lastIndexOf('/') + 1), target] as const,
    ),
  );
  const types = sources.flatMap((source) =>
    [...source.matchAll(TYPE)].map(([, name = '', text = '']) => [name, text] as const),
  );
  const found = { imports: new Map(imports), types: new Map(types) };
  packages.set(path, found);
  return found;
}

/** `core/v1.Pod` for the Go type `Pod` of `k8s.io/api/core/v1`. */
function messageName(path: string, type: string): string {
  return `${path.split('/').slice(-2).join('/')}.${type}`;
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int',
  int64: 'int',
  '[]byte': 'bytes',
};
/** Messages whose JSON is not an object of their fields. */
const SPECIAL = /^(Time|MicroTime|Quantity|IntOrString|RawExtension|FieldsV1)$/;

const messages = new Map<string, string>();

/** How a named Go type is read. */
function namedType(path: string, text: string): string {
  const [own = '', other] = text.split('.');
  const home = other === undefined ? path : (packageOf(path).imports.get(own) ?? '');
  const type = other ?? own;
  if (SPECIAL.test(type)) return type;
  const definition = packageOf(home).types.get(type);
  if (definition === undefined) throw new Error(`${path} has no ${text}`);
  if (!definition.startsWith('struct')) return typeOf(home, definition);
  addMessage(home, type, definition);
  return messageName(home, type);
}

/** How a Go type is read: `[]` for a list and `{}` for a map, before a scalar, a special type or a message. */
function typeOf(path: string, goType: string): string {
  const text = goType.replace('*', '');
  const scalar = SCALARS[text];
  if (scalar !== undefined) return scalar;
  if (text.startsWith('[]')) return `[]${typeOf(path, text.slice(2))}`;
  const [, value] = /^map\[[\w.]+\](.+)$/.exec(text) ?? [];
  return value === undefined ? namedType(path, text) : `{}${typeOf(path, value)}`;
}

const FIELD = /^\t(?:\w+ +)?(\S+) +`(.*protobuf:"\w+,(\d+).*)`/gm;
const JSON_TAG = /json:"([^"]*)"/;

/** A zero is left out, as Go's JSON leaves it out, unless the field is a pointer or always written. */
function keepsZero(type: string, json: string): boolean {
  return type.startsWith('*') || !json.includes('omit');
}

function addMessage(path: string, type: string, definition: string): void {
  const name = messageName(path, type);
  if (messages.has(name)) return;
  // A message may contain itself.
  messages.set(name, '');
  const fields = [...definition.matchAll(FIELD)].map(([, go = '', tags = '', number]) => {
    const [, json = ''] = JSON_TAG.exec(tags) ?? [];
    // The fields of an inlined message stand beside the others: it has no name of its own.
    const [own] = json.split(',');
    const read = typeOf(path, go);
    return [number, [own, read, ...(keepsZero(go, json) ? [1] : [])]] as const;
  });
  messages.set(name, `${JSON.stringify(name)}: ${JSON.stringify(Object.fromEntries(fields))}`);
}

for (const [groupVersion, kinds] of BUILT_IN_KINDS) {
  const [group = '', version = ''] = groupVersion.split('/');
  if (!GROUPS.test(group)) continue;
  for (const kind of kinds) typeOf(`k8s.io/api/${group.split('.')[0] || 'core'}/${version}`, kind);
}
typeOf('k8s.io/api/autoscaling/v1', 'Scale');
typeOf(META, 'DeleteOptions');
const lines = [...messages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
writeFileSync(PROTOBUF_KINDS, `{\n${lines.join(',\n')}\n}\n`);
