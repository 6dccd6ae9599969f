import { describe, expect, it } from 'vitest';
import {
  EXACT_OF_ANY,
  expiredVersion,
  futureVersion,
  hugeNumber,
  INITIAL_EVENTS_OF_LIST,
  INITIAL_EVENTS_WITHOUT_MATCH,
  INVALID_CONTINUE,
  invalidLabelSelector,
  MATCH_OF_CONTINUED,
  MATCH_OF_WATCH,
  MATCH_WITHOUT_VERSION,
  noFlag,
  notSentTo,
  noWholeNumber,
  pastVersion,
  VERSION_OF_CONTINUED,
} from '#shared/api/list-messages.ts';
import {
  acceptedTypes,
  accessForbidden,
  invalidObject,
  largeBody,
  leftOut,
  methodNotSupported,
  objectNotFound,
  placesOfUserTaken,
  placesTaken,
  resourceNotFound,
  unknownFormat,
  unsupportedValue,
  WRONG_NAMESPACE,
} from '#shared/api/messages.ts';
import { noObjects, noObjectsOfGroup, unsupportedDryRun } from '#shared/api/query-messages.ts';
import { WEB } from './ask.ts';

const NODES = { group: '', resource: 'nodes' };
const MATCH = 'resourceVersionMatch';

describe('the errors of kube-apiserver, word for word', () => {
  it.each([
    [resourceNotFound(), 'the server could not find the requested resource'],
    [methodNotSupported(), 'the server does not allow this method on the requested resource'],
    [objectNotFound(WEB, 'api'), 'deployments.apps "api" not found'],
    [objectNotFound(NODES, 'a'), 'nodes "a" not found'],
    [
      accessForbidden('alice', { ...WEB, verb: 'get' }, ''),
      'deployments.apps "web" is forbidden: User "alice" cannot get resource "deployments" in API group "apps" in the namespace "shop"',
    ],
    [
      accessForbidden('alice', { ...NODES, verb: 'list', namespace: '', name: '' }, 'no role'),
      'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope: no role',
    ],
    [acceptedTypes('a, b'), 'only the following media types are accepted: a, b'],
    [largeBody(7), 'Request entity too large: limit is 7'],
    [
      unknownFormat(['application/json', 'a/b']),
      'the body of the request was in an unknown format - accepted media types include: application/json, a/b',
    ],
    [
      WRONG_NAMESPACE,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [invalidObject('A.b', [{ field: 'c', message: 'd' }]), 'A.b "" is invalid: c: d'],
    [
      invalidObject('A.b', [
        { field: 'c', message: 'd' },
        { field: 'e', message: 'f' },
      ]),
      'A.b "" is invalid: [c: d, e: f]',
    ],
    [unsupportedValue('a', ['b', 'c']), 'Unsupported value: "a": supported values: "b", "c"'],
    [unsupportedDryRun('some'), 'dryRun: Unsupported value: "some": supported values: "All"'],
    [INVALID_CONTINUE, 'continue key is not valid'],
    [pastVersion(7), 'The resourceVersion for the provided list is too old: 7'],
    [expiredVersion(7), 'too old resource version: 7'],
    [futureVersion(8, 7), 'Too large resource version: 8, current: 7'],
    [VERSION_OF_CONTINUED, 'specifying resource version is not allowed when using continue'],
    [invalidLabelSelector('x'), 'unable to parse requirement: x'],
    [INITIAL_EVENTS_OF_LIST, 'Forbidden: sendInitialEvents is forbidden for list'],
    [
      INITIAL_EVENTS_WITHOUT_MATCH,
      `Forbidden: sendInitialEvents requires setting ${MATCH} to NotOlderThan`,
    ],
    [MATCH_OF_CONTINUED, `Forbidden: ${MATCH} is forbidden when continue is provided`],
    [
      MATCH_OF_WATCH,
      `Forbidden: ${MATCH} is forbidden for watch unless sendInitialEvents is provided`,
    ],
    [MATCH_WITHOUT_VERSION, `Forbidden: ${MATCH} is forbidden unless resourceVersion is provided`],
    [EXACT_OF_ANY, `Forbidden: ${MATCH} "Exact" is forbidden for resourceVersion "0"`],
  ])('%s', (message, words) => {
    expect(message).toBe(words);
  });
});

describe('what Starfold says itself', () => {
  it.each([
    [resourceNotFound('look'), `${resourceNotFound()}: look`],
    [methodNotSupported('look'), `${methodNotSupported()}: look`],
    [noWholeNumber('limit', 'x'), 'limit: Invalid value: "x": must be a non-negative integer'],
    [hugeNumber('limit', '9'), 'limit: Invalid value: "9": must be at most 9007199254740991'],
    [noFlag('watch', 'x'), 'watch: Invalid value: "x": must be true or false'],
    [leftOut(['a', 'b.c']), 'objects of a, b.c are left out: you may not get these yourself'],
    [placesTaken('watches', 8), 'there are 8 watches already: try again later'],
    [
      placesOfUserTaken('a', { what: 'watches', taken: 2, ofOneUser: 2 }),
      '"a" has 2 watches already, and one user may have 2: end one, or try again later',
    ],
    [
      noObjects('pod', undefined),
      'no Binding names objects of pod: use the plural, such as deployments, and the group',
    ],
    [noObjects('pod', 'pods'), 'no Binding names objects of pod: did you mean pods?'],
    [
      noObjectsOfGroup('nothing.example.com', undefined),
      'no Binding names objects of the API group nothing.example.com: check its name, or leave it out',
    ],
    [
      noObjectsOfGroup('', 'apps'),
      'no Binding names objects of the core API group: did you mean apps?',
    ],
    [
      notSentTo(WEB, 'nort', 'north'),
      'without: no Binding sends deployments.apps:web to a WEC "nort": did you mean "north"? the WECs are listed by: kubectl get wecstatuses -n shop --field-selector workload.name=web,workload.resource=deployments,workload.group=apps',
    ],
    [
      notSentTo({ ...NODES, namespace: '', name: 'a' }, 'x', undefined),
      'without: no Binding sends nodes:a to a WEC "x": the WECs are listed by: kubectl get clusterwecstatuses --field-selector workload.name=a,workload.resource=nodes,workload.group=',
    ],
  ])('%s', (message, words) => {
    expect(message).toBe(words);
  });
});
