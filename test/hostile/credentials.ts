import {
  FORBIDDEN_UNVERIFIED_TLS,
  forbiddenPlainHttp,
  forbiddenProxy,
  HALF_CERTIFICATE,
  HALF_PASSWORD,
  INVALID_SERVER,
  invalidField,
  localAddress,
  noPem,
  REJECTED_FIELDS,
  repeatedEntry,
  SERVER_WITH_QUERY,
  SERVER_WITH_USER,
  UNUSED_FIELD,
} from '#shared/adapters/kubernetes/kube-config-messages.ts';

/** One kubeconfig as a hostile writer of a store would put it there. */
export interface HostileKubeConfig {
  readonly what: string;
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
  /** What the error says: field and remedy. */
  readonly says: string;
}

/** What must be in no message. */
export const SECRET = 's3cr3t-t0ken';

const PEM = btoa('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n');

/** A kubeconfig with these members added to its cluster and its user. */
export function kubeConfigText({
  cluster,
  user,
}: Omit<HostileKubeConfig, 'what' | 'says'>): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://wds1.example:6443', ...cluster } }],
    users: [{ name: 'u', user: { token: SECRET, ...user } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

const EXEC = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: '/bin/sh',
  args: ['-c', 'id'],
};
const ENVIRON = '/proc/self/environ';

/** What is said of a field that is known, by its letters, and rejected. */
function rejected(field: string): string {
  return `.${field} ${REJECTED_FIELDS[field.replaceAll(/[-_]/g, '').toLowerCase()]}`;
}

function fileFields(
  part: 'cluster' | 'user',
  fields: readonly string[],
): readonly HostileKubeConfig[] {
  return fields.map((field) => ({
    what: `a file by ${field}`,
    [part]: { [field]: ENVIRON },
    says: rejected(field),
  }));
}

/** What client-node, or any client of Kubernetes, reads from a disk or runs. */
const BEYOND_THE_TEXT: readonly HostileKubeConfig[] = [
  ...fileFields('user', [
    'tokenFile',
    'token-file',
    'token_file',
    'client-certificate',
    'clientCertificate',
    'client-key',
    'clientKey',
  ]),
  ...fileFields('cluster', ['certificate-authority', 'certificateAuthority']),
  { what: 'a program', user: { exec: EXEC }, says: rejected('exec') },
  {
    what: 'a provider',
    user: { 'auth-provider': { name: 'gcp' } },
    says: rejected('auth-provider'),
  },
  { what: 'a provider in camel case', user: { authProvider: {} }, says: rejected('authProvider') },
  {
    what: "the client's own word for a file",
    user: { keyFile: ENVIRON },
    says: `keyFile ${UNUSED_FIELD}`,
  },
  {
    what: 'the same of a cluster',
    cluster: { caFile: ENVIRON },
    says: `caFile ${UNUSED_FIELD}`,
  },
  {
    what: 'groups to act as',
    user: { 'as-groups': ['system:masters'] },
    says: `as-groups ${UNUSED_FIELD}`,
  },
];

/** Servers at addresses that are of the function or of its cloud, in the spellings that URLs have for them. */
const ADDRESSES: readonly (readonly [string, string])[] = [
  ...[
    'https://127.0.0.1:9001',
    'https://127.1',
    'https://2130706433',
    'https://0x7f000001',
    'https://0177.0.0.1',
    'https://127.0.0.1.',
    'https://0.0.0.0',
    'https://0',
    'https://[::1]:9001',
    'https://[::]',
    'https://[0:0:0:0:0:0:0:1]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:7f00:1]',
    'https://[::127.0.0.1]',
    'https://[64:ff9b::127.0.0.1]',
    'https://[64:ff9b:1::127.0.0.1]',
    'https://[2002:7f00:1::1]',
    'https://[2002:7fff:ffff:1:2:3:4:5]',
    'https://[2002:0:1::]',
    'https://[::ffff:0:127.0.0.1]',
    'https://[64:ff9b:1:7f00:0:100::]',
    'https://[64:ff9b:1:7f00:0:100:1:2]',
    'https://[64:ff9b:1:7f:0:1::]',
    'https://[64:ff9b:1:aaaa:7f:0:100:0]',
    'https://[64:ff9b:1:aaaa:bbbb:cccc:127.0.0.1]',
    'https://[2a00:1::5efe:127.0.0.1]',
    'https://[2a00:1:2:3:200:5efe:127.0.0.1]',
    'https://[2001:0:7f00:1::1]',
    'https://[2001:0:c000:201:0:1:80ff:fffe]',
    'https://①②⑦.0.0.1',
  ].map((server) => [server, localAddress('', 'loopback')] as const),
  ...[
    'https://169.254.169.254/latest',
    'https://0xa9fea9fe',
    'https://2852039166',
    'https://169.254.43518',
    'https://[fe80::1]',
    'https://[febf::1]',
    'https://[::ffff:169.254.169.254]',
    'https://[64:ff9b::a9fe:a9fe]',
    'https://[fd00:ec2::254]',
    'https://[64:ff9b:1::a9fe:a9fe]',
    'https://[2002:a9fe:a9fe::1]',
    'https://[2002:a9fe:a9fe:ffff::169]',
    'https://[fd20:ce::254]',
    'https://100.100.100.200/latest',
    'https://[::ffff:100.100.100.200]',
    'https://[2002:6464:64c8::1]',
    'https://168.63.129.16/machine',
    'https://192.0.0.192/opc',
    'https://[fd00:c1::a9fe:a9fe]',
    'https://[fd00:42::42]',
    'https://[fd00:a9fe:a9fe::1]',
    'https://[::ffff:0:a9fe:a9fe]',
    'https://[64:ff9b:1:a9fe:a9:fe00::]',
    'https://[fe00::5efe:168.63.129.16]',
    'https://[2001:0:c000:201:0:1:5601:5601]',
  ].map((server) => [server, localAddress('', 'linkLocal')] as const),
  ['http://wds1.example', forbiddenPlainHttp('http://wds1.example')],
  ['HTTP://wds1.example', forbiddenPlainHttp('http://wds1.example')],
  ['http://169.254.169.254', forbiddenPlainHttp('http://169.254.169.254')],
  ['https://[fe80::1%25eth0]', INVALID_SERVER],
  ['file:///proc/self/environ', INVALID_SERVER],
  ['unix:///var/run/docker.sock', INVALID_SERVER],
  ['wds1.example:6443', INVALID_SERVER],
  [`https://admin:${SECRET}@wds1.example`, SERVER_WITH_USER],
  ['https://wds1.example/?', SERVER_WITH_QUERY],
  ['https://wds1.example/#', SERVER_WITH_QUERY],
];

export const HOSTILE_KUBECONFIGS: readonly HostileKubeConfig[] = [
  ...BEYOND_THE_TEXT,
  ...ADDRESSES.map(([server, says]) => ({
    what: `the server ${server}`,
    cluster: { server },
    says,
  })),
  {
    what: 'a certificate that nobody looks at',
    cluster: { 'insecure-skip-tls-verify': true },
    says: FORBIDDEN_UNVERIFIED_TLS,
  },
  {
    what: 'the same as a text',
    cluster: { 'insecure-skip-tls-verify': 'true' },
    says: invalidField('clusters[0].cluster.insecure-skip-tls-verify'),
  },
  ...['http://evil.example:3128', 'socks5://evil.example:1080', 'https://169.254.169.254'].map(
    (proxy) => ({
      what: `the proxy ${proxy}`,
      cluster: { 'proxy-url': proxy },
      says: forbiddenProxy(proxy),
    }),
  ),
  {
    what: 'a proxy with a password',
    cluster: { 'proxy-url': `http://u:${SECRET}@evil.example:3128` },
    says: forbiddenProxy('http://evil.example:3128'),
  },
  {
    what: 'a token that is no text',
    user: { token: 5 },
    says: invalidField('users[0].user.token'),
  },
  {
    what: 'a header in a token',
    user: { token: { toString: `${SECRET}\r\nHost: evil` } },
    says: invalidField('users[0].user.token'),
  },
  {
    what: 'the path of a key as its data',
    user: { 'client-key-data': btoa(ENVIRON), 'client-certificate-data': PEM },
    says: noPem('client-key-data'),
  },
  { what: 'half of a pair', user: { 'client-key-data': PEM }, says: HALF_CERTIFICATE },
  { what: 'a user name alone', user: { username: 'admin' }, says: HALF_PASSWORD },
];

/** Whole texts. */
export const HOSTILE_TEXTS: readonly (readonly [
  what: string,
  text: string,
  says: string | RegExp,
])[] = [
  [
    "an entry with the current context's name behind the harmless one",
    [
      'clusters: [{name: c, cluster: {server: "https://a.example"}}]',
      'users: [{name: u, user: {}}, {name: u, user: {tokenFile: /proc/self/environ}}]',
      'contexts: [{name: x, context: {cluster: c, user: u}}]',
      'current-context: x',
    ].join('\n'),
    repeatedEntry('users', 'u'),
  ],
  [
    'a file by way of a merge',
    [
      'x: &f {tokenFile: /proc/self/environ}',
      'clusters: [{name: c, cluster: {server: "https://a.example"}}]',
      'users: [{name: u, user: {<<: *f}}]',
      'contexts: [{name: x, context: {cluster: c, user: u}}]',
      'current-context: x',
    ].join('\n'),
    `x ${UNUSED_FIELD}`,
  ],
  [
    'a prototype',
    '{"__proto__": {"users": []}, "current-context": "x"}',
    /is not read from a store|not a kubeconfig|there is no context/,
  ],
  [
    'a tag that makes a function',
    'users: !!js/function "function () {}"',
    /no usable|not a usable|not a valid value/,
  ],
];
