import { describe, expect, it } from 'vitest';
import { ReportsTooLargeError } from '#shared/errors.ts';
import { expectAccessible } from '#test/browser/harness/browser.ts';
import { eight, healthy } from './statuses.ts';
import { listed, Suite, says } from './suite.ts';

const suite = new Suite();

describe('what stands in the way', () => {
  it('is named while the first answer is awaited', async () => {
    suite.put(healthy('east'));
    let open: (value?: unknown) => void = () => undefined;
    suite.argocd.server.gate = new Promise((resolve) => {
      open = resolve;
    });
    const tab = await suite.open();
    await says(tab, 'Reading…');
    open();
    await says(tab, 'in its WEC.');
  });

  it.each([
    {
      what: 'a permission in the WDS',
      break: () => {
        suite.argocd.api.wds.allows = ({ resource }) => resource !== 'explanations';
      },
      says: 'cannot get resource "explanations" in API group "status.starfold.dev"',
    },
    {
      what: 'a permission in Argo CD',
      break: () => {
        suite.argocd.server.configuration.allows = false;
      },
      says: 'Argo CD does not let you use the extension starfold for this application',
    },
    {
      what: 'a wrong token',
      break: () => suite.argocd.connect('Bearer old'),
      says: "Starfold's API does not know the token that Argo CD sends",
    },
    {
      what: 'a proxy extension that is not configured',
      break: () => {
        delete suite.argocd.server.configuration.backend;
      },
      says: 'Argo CD has no proxy extension starfold',
    },
    {
      what: 'an API that is down',
      break: () => suite.argocd.stopApi(),
      says: "Argo CD cannot reach Starfold's API.",
    },
  ])('is $what', async (one) => {
    suite.put(healthy('east'));
    await one.break();
    const tab = await suite.open();
    await says(tab, one.says);
    expect(await tab.page.getByRole('alert').count()).toBe(1);
    await expectAccessible(tab.page, '.starfold-tab');
    expect(tab.errors).toEqual([]);
  });

  it('keeps what is shown while the API is down, and goes when it is back', async () => {
    suite.put(...eight());
    const tab = await suite.open();
    await says(tab, 'Why the status is what it is');
    await suite.argocd.stopApi();
    await suite.change(tab);
    await says(tab, 'What is shown was read at');
    expect(await listed(tab)).toHaveLength(8);
    await suite.argocd.startApi();
    await tab.page.getByRole('button', { name: 'Try again' }).click();
    await tab.page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await listed(tab)).toHaveLength(8);
  });

  it('goes by itself when Argo CD answers again', async () => {
    suite.put(healthy('east'));
    const tab = await suite.open();
    await says(tab, 'in its WEC.');
    await tab.page.clock.install();
    await tab.page.context().setOffline(true);
    await suite.change(tab);
    await says(tab, 'Argo CD does not answer.');
    await tab.page.context().setOffline(false);
    await tab.page.clock.runFor(10_000);
    await tab.page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('is an explanation that is too large: the WECs are shown all the same', async () => {
    suite.put(...eight());
    const workload = suite.argocd.api.source.workload.bind(suite.argocd.api.source);
    suite.argocd.api.source.workload = async (...request) => {
      await workload(...request);
      throw new ReportsTooLargeError('deployments.apps:web', 64);
    };
    const tab = await suite.open();
    await says(tab, 'The status of this object cannot be explained');
    expect(await listed(tab)).toHaveLength(8);
    expect(tab.errors).toEqual([]);
  });
});
