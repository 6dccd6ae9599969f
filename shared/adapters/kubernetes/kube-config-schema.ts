import * as z from 'zod/mini';
import {
  invalidField,
  missingField,
  NO_KUBECONFIG,
  REJECTED_FIELDS,
  SOME_FIELD,
  UNUSED_FIELD,
} from './kube-config-messages.ts';

const text = z.string().check(z.minLength(1));
const optional = z.nullish(text);
const ignored = z.nullish(z.unknown());

/**
 * The fields of a kubeconfig that have no meaning beyond their text. In any other field, client-go or the Kubernetes client may
 * find the name of a file or program, today or in a later version. Therefore any other field is rejected.
 */
const cluster = z.strictObject({
  server: text,
  'certificate-authority-data': optional,
  'tls-server-name': optional,
  'insecure-skip-tls-verify': z.nullish(z.boolean()),
  'proxy-url': optional,
  'disable-compression': z.nullish(z.boolean()),
  extensions: ignored,
});

const user = z.strictObject({
  token: optional,
  username: optional,
  password: optional,
  'client-certificate-data': optional,
  'client-key-data': optional,
  as: optional,
  extensions: ignored,
});

const context = z.looseObject({ cluster: text, user: text });

/** Entries that the current context does not use are neither checked nor passed on. */
const entries = z.nullish(z.array(z.looseObject({ name: text })));

export const KUBECONFIG_SCHEMAS = {
  file: z.strictObject({
    apiVersion: z.nullish(z.literal('v1')),
    kind: z.nullish(z.literal('Config')),
    preferences: ignored,
    extensions: ignored,
    'current-context': z.nullish(z.string()),
    clusters: entries,
    users: entries,
    contexts: entries,
  }),
  cluster,
  user: z.nullish(user),
  context,
};

/** A cluster of a kubeconfig. */
export type ClusterText = z.infer<typeof cluster>;

/** A user of a kubeconfig. */
export type UserText = NonNullable<z.infer<typeof KUBECONFIG_SCHEMAS.user>>;

/** Only a text that looks like the name of a field is printed. A damaged text may have a secret in the place of a name. */
function fieldName(key: string): string {
  return /^[A-Za-z]+([-_][A-Za-z]+)*$/.test(key) && key.length <= 40 ? key : SOME_FIELD;
}

function unknownField(key: string, path: string): string {
  const known = REJECTED_FIELDS[key.replaceAll(/[-_]/g, '').toLowerCase()];
  const name = fieldName(key);
  const at = path === '' ? name : `${path}.${name}`;
  return `${at} ${known ?? UNUSED_FIELD}`;
}

function pathOf(path: string, more: readonly PropertyKey[]): string {
  const members = more.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return `${path}${members.join('')}`.replace(/^\./, '');
}

/**
 * The first fault of a part of a kubeconfig: its path and the remedy, without its content.
 *
 * @param path the path of the part: `users[0].user`.
 */
export function firstFault(issues: readonly z.core.$ZodIssue[], path: string): string {
  const [issue] = issues;
  if (issue?.code === 'unrecognized_keys')
    return unknownField(issue.keys[0] ?? '', pathOf(path, issue.path));
  const at = pathOf(path, issue?.path ?? []);
  const isMissing = issue?.code === 'invalid_type' && issue.input === undefined;
  if (at === '') return NO_KUBECONFIG;
  return isMissing ? missingField(at) : invalidField(at);
}
