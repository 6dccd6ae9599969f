import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '#functions/event-forwarder/program/config.ts';
import { TOKEN_FAULTS, tokensFileFault } from '#local/intake/messages.ts';
import { parseTokens } from '#local/intake/tokens-file.ts';
import { loadKubeConfigText } from '#shared/adapters/kubernetes/kube-config-text.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';

describe('YAML as kubectl reads it', () => {
  it.each<[text: string, value: unknown]>([
    ['y', true],
    ['off', false],
    ['0o14', 12],
    ['-0o14', -12],
    ['0O14', 12],
    ['0X1F', 31],
    ['0B11', 3],
    ['-0b1_1', -3],
    ['0o', '0o'],
    ['0_', 0],
    ['014', 12],
    ['1e400', '1e400'],
    ['1e3', 1000],
    ['e12', 'e12'],
    ['-_1', -1],
    ['8E_5', 800_000],
    ['6_8.5e+0_3', 68_500],
    ['+_0x6', 6],
    ['-_.3', -0.3],
    ['.7_7', 0.77],
    ['._5', '._5'],
    ['+.', '+.'],
    ['0b-1', -1],
    ['09', 9],
    ['0777777777777777777777777', 7.777_777_777_777_778e23],
    ['0xFFFFFFFFFFFFFFFFFF', '0xFFFFFFFFFFFFFFFFFF'],
    ['!!float 5', 5],
    ['!!int 0x1_0', 16],
    ['1:30', '1:30'],
    ['2026-11-25', '2026-11-25'],
  ])('reads %s', (text, value) => {
    expect(parse(text, KUBECTL_YAML)).toBe(value);
  });

  it.each<[text: string, value: unknown]>([
    ['!!binary aGk=', 'hi'],
    ['!!binary ""', ''],
    ['!!binary |\n  aG\n  k=\n', 'hi'],
    ['!!binary /w==', '\ufffd'],
    ['!!timestamp 2001-01-01', '2001-01-01'],
    ['!!timestamp 2001-12-15 2:59:43.10', '2001-12-15 2:59:43.10'],
    ['!!timestamp 2001-12-15T02:59:43Z', '2001-12-15T02:59:43Z'],
    ['!!timestamp 2001-1-1t02:59:43+05:30', '2001-1-1t02:59:43+05:30'],
    ['!!set {a, b}', { a: null, b: null }],
    ['!!set {a: 1}', { a: 1 }],
    ['!!set [a]', ['a']],
    ['!!omap [a: 1, b: 2]', [{ a: 1 }, { b: 2 }]],
    ['!!pairs [a: 1, a: 2]', [{ a: 1 }, { a: 2 }]],
  ])('reads %s as a value of JSON', (text, value) => {
    expect(parse(text, KUBECTL_YAML)).toStrictEqual(value);
  });

  it.each([
    '!!binary aGk',
    '!!binary a Gk=',
    '!!timestamp bogus',
    '!!timestamp 2001-13-14',
    '!!timestamp 2001-12-14T21:59:43',
  ])('does not read %s', (text) => {
    expect(() => parse(text, KUBECTL_YAML)).toThrow(/^!!(?:binary|timestamp) is not followed by/);
  });

  it('keeps the digits of an octal number if integers are bigints', () => {
    const options = { ...KUBECTL_YAML, intAsBigInt: true } as const;
    expect(parse('0o777777777777777777777', options)).toBe(2n ** 63n - 1n);
  });
});

const KUBECONFIG = (skip: string): string => `
clusters: [{name: c, cluster: {server: "https://wds.example.com", insecure-skip-tls-verify: ${skip}}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;

describe('every text that a user writes is read alike', () => {
  it('a kubeconfig', () => {
    const load = (skip: string) =>
      loadKubeConfigText(KUBECONFIG(skip), 'here', { unverifiedTls: true });
    expect(load('yes').getCurrentCluster()?.skipTLSVerify).toBe(true);
    expect(load('off').getCurrentCluster()?.skipTLSVerify).toBe(false);
  });

  it('a tokens file: a word that is a boolean is not a token', () => {
    const at = { file: 'tokens.yaml', wds: 'wds1' };
    expect(() => parseTokens(at, 'wec/a: y')).toThrow(
      tokensFileFault('tokens.yaml:1: wec/a', TOKEN_FAULTS.tokenNotAString),
    );
  });

  it('the configuration of the forwarder', () => {
    const text = (enabled: string): string => `
source: {type: wds, name: wds1}
queue: {sqs: {url: "https://sqs.eu-west-1.amazonaws.com/111122223333/events", region: eu-west-1}}
leaderElection: {enabled: ${enabled}, namespace: starfold, name: forwarder}
`;
    expect(parseConfig('f.yaml', text('on'))).toMatchObject({ ok: true });
    expect(parseConfig('f.yaml', text('"on"'))).toMatchObject({ ok: false });
  });
});
