import { expect, it } from 'vitest';
import {
  credentialsUnusable,
  notAWds,
  PLACES,
  pageAt,
  portForm,
  readsFrom,
  SERVED_BY,
  serverOfFleet,
  silentWds,
  UNKNOWN_WDS,
} from '#local/cli/console/messages.ts';

it('says in these words what the page reads, and why it is not served', () => {
  expect([
    portForm(65_535),
    PLACES.stage('prod'),
    PLACES.context('wds1'),
    PLACES.current,
    SERVED_BY.wds,
    SERVED_BY.starfold,
    SERVED_BY.named('https://wds', 'wds1'),
    UNKNOWN_WDS,
    readsFrom('https://api', PLACES.current, 'the WDS'),
    pageAt('http://127.0.0.1:1'),
    credentialsUnusable('stage prod'),
    serverOfFleet('https://api'),
    silentWds('https://wds', 'refused'),
    notAWds('https://api'),
  ]).toEqual([
    'Give a whole number from 1 to 65535, or 0 for any free port.',
    'stage prod',
    'context wds1',
    'the current context',
    'the API server of the WDS, which serves Starfold (APIService)',
    'the server of Starfold (direct door)',
    'CombinedStatuses are read from https://wds (context wds1)',
    'the WDS is not known, so CombinedStatuses are not shown: name it with --wds-context',
    'reads https://api, the current context: the WDS',
    'http://127.0.0.1:1   the page; Ctrl-C ends it',
    'stage prod: the credentials cannot be used; the terminal of starfold console has the cause',
    'https://api is of a management cluster of Fleet, about which WECs report nothing: name a WDS, or use starfold get bdst',
    'https://wds does not answer (refused): check that it runs and that the kubeconfig names it',
    'https://api does not serve combinedstatuses (control.kubestellar.io/v1alpha1): name the context of the WDS',
  ]);
});
