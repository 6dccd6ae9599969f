import { describe, expect, it } from 'vitest';
import { CHECK_ENDPOINT, perhapsPut, tableText } from '#shared/adapters/dynamodb/messages.ts';
import { failedEntry, refusedRequest } from '#shared/adapters/eventbridge/messages.ts';
import { redirected, unknownAuthority, unknownToken } from '#shared/adapters/http/messages.ts';
import {
  forbiddenProxy,
  localAddress,
  localName,
  missingEntry,
  NO_KUBECONFIG,
  noPem,
  unusable,
} from '#shared/adapters/kubernetes/kube-config-messages.ts';
import { longList, notJson, returnedBy } from '#shared/adapters/kubernetes/messages.ts';
import {
  invalidPlaceOf,
  notAllowed,
  notAnswered,
  PLACE_FAULTS,
} from '#shared/adapters/parameters/messages.ts';
import { unusableFile } from '#shared/adapters/sqlite/messages.ts';
import { allowActions, deployQueue } from '#shared/adapters/sqs/messages.ts';
import { notSent, unknownCredentials } from '#shared/adapters/wds/messages.ts';
import { asksForPause, localReceiver, redirects } from '#shared/adapters/webhooks/messages.ts';

const ALLOW_LOOPBACK =
  'allow it with allow.loopback: true for this cluster in the settings of the deployment (docs/security.md)';
const COMPARE = 'compare it with the output of kubectl config view';

describe('the sentences of the adapters', () => {
  it.each([
    [tableText('t', 'eu-west-1'), 'table t in eu-west-1'],
    [tableText('t', undefined), 'table t (no region: set AWS_REGION)'],
    [
      CHECK_ENDPOINT,
      'check the region, the network, and AWS_ENDPOINT_URL and AWS_ENDPOINT_URL_DYNAMODB if they are set',
    ],
    [
      perhapsPut({ pk: 'p', sk: 's' }),
      'an answer was lost; p s is stored as it was put, perhaps by another process',
    ],
    [failedEntry('Internal', ''), 'EventBridge answers Internal'],
    [failedEntry('Internal', 'why'), 'EventBridge answers Internal (why)'],
    [
      refusedRequest('no', 'arn:b', ['events:PutEvents']),
      'EventBridge: no: check that arn:b exists and that the role may use it (events:PutEvents)',
    ],
    [
      unknownToken('/t'),
      'the receiver does not know the token in /t: put that token, under the name of this source, into the file that starfold start --tokens names there',
    ],
    [redirected(''), 'a redirect is not followed: give the URL of the receiver itself'],
    [
      redirected('https://b'),
      'a redirect to https://b is not followed: give the URL of the receiver itself',
    ],
    [unknownAuthority(undefined), 'give the certificate of its authority with caFile'],
    [unknownAuthority('/ca'), 'the authority of its certificate is not in /ca: put it there'],
    [
      unusableFile('/f', 'locked'),
      'cannot use the database /f: another process has locked it; stop that process, or name another file',
    ],
    [deployQueue('https://q'), 'deploy the queue, or correct its URL https://q'],
    [allowActions(['sqs:A', 'sqs:B']), 'allow sqs:A, sqs:B on the queue to the role'],
    [
      returnedBy('https://a', longList('1 GiB')),
      'https://a returns a list of more than 1 GiB, which no API server returns',
    ],
    [notJson('an answer'), 'an answer that is not JSON'],
    [
      unknownCredentials('WDS', { operation: 'get pods', reason: 'no' }),
      'the WDS does not know these credentials (get pods: no): put a valid token or client certificate there; it is read again automatically',
    ],
    [notSent('hung up'), 'no request was sent, because it did not answer a moment ago: hung up'],
    [asksForPause(503, 600, 600), 'it answers 503, and asks for a pause of 600 s'],
    [
      asksForPause(503, 601, 600),
      'it answers 503, and asks for a pause of more than 600 s, which is the longest',
    ],
    [
      redirects(307),
      'it answers 307, and a redirect is not followed: give the URL that it leads to',
    ],
    [
      localReceiver('a', '127.0.0.1', 'loopback'),
      'a leads to 127.0.0.1, a loopback address, to which no events are sent: correct the url',
    ],
    [
      localReceiver('::1', '::1', 'linkLocal'),
      '::1 is a link-local address, to which no events are sent: correct the url',
    ],
  ])('%s', (message, words) => {
    expect(message).toBe(words);
  });
});

describe('the faults of kubeconfigs and of their places', () => {
  it.each([
    [unusable(), `it is not a usable kubeconfig: ${COMPARE}`],
    [unusable('line 3, column 1'), `it is not a usable kubeconfig (line 3, column 1): ${COMPARE}`],
    [NO_KUBECONFIG, `it is not a kubeconfig: ${COMPARE}`],
    [
      missingEntry({ context: 'a', type: 'cluster', name: 'b' }, []),
      'context a names the cluster b, which does not exist: add it under clusters, or use one of: none',
    ],
    [
      missingEntry({ context: 'a', type: 'user', name: 'b' }, ['c', 'd']),
      'context a names the user b, which does not exist: add it under users, or use one of: c, d',
    ],
    [
      localName('wds1', localAddress('::1', 'loopback')),
      `the server's name wds1 resolves to ::1, an address of the function itself: name the API server's own address, or ${ALLOW_LOOPBACK}`,
    ],
    [
      forbiddenProxy('http://p:1'),
      'proxy-url names the proxy http://p:1: leave it out, or allow it with allow.proxy: http://p:1 for this cluster in the settings of the deployment (docs/security.md)',
    ],
    [
      noPem('a'),
      'a is not a PEM file in base64: embed it: kubectl config view --raw --flatten --minify writes such a kubeconfig',
    ],
    [
      invalidPlaceOf('WDS', 'a', PLACE_FAULTS.noName('ssm')),
      'WDS a: ssm: is not followed by such a name or ARN: write secretsmanager:<ARN or name of the secret> or ssm:<name of the SecureString parameter>',
    ],
    [
      notAllowed({ thing: 'secret', actions: ['a:B'] }, 'no'),
      'the function may not read it: allow its role a:B on this secret (no)',
    ],
    [
      notAnswered('Parameter Store', 'ETIMEDOUT'),
      'Parameter Store did not answer (ETIMEDOUT): a function in a VPC needs a NAT gateway or a VPC endpoint for it; the request is retried',
    ],
  ])('%s', (message, words) => {
    expect(message).toBe(words);
  });
});
