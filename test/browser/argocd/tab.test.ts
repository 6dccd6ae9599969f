import { describe, expect, it } from 'vitest';
import { expectAccessible } from '#test/browser/harness/browser.ts';
import { status } from '#test/unit/api/ask.ts';
import { DEPLOYMENT } from './argocd.ts';
import { degraded, eight, healthy, progressing } from './statuses.ts';
import { listed, Suite, says, sentence } from './suite.ts';

const suite = new Suite();

describe('the tab of an object that a Binding sends to WECs', () => {
  it('begins with the verdict and the WEC that is to blame, and lists the worst first', async () => {
    suite.put(...eight());
    const tab = await suite.open();
    await says(tab, 'Why the status is what it is');
    expect(await sentence(tab)).toBe('Degraded, because edge-2 is Degraded.');
    await says(tab, 'Deployment "web" exceeded its progress deadline');
    expect(await listed(tab)).toEqual([2, 7, 8, 6, 1, 3, 4, 5].map((number) => `edge-${number}`));
    expect(await tab.page.locator('.sf-wecs tbody .sf-verdict').allInnerTexts()).toEqual([
      ...['Degraded', 'Silent', 'Not reported', 'Progressing'],
      ...['Healthy', 'Healthy', 'Healthy', 'Healthy'],
    ]);
    await expectAccessible(tab.page, '.starfold-tab');
    await suite.argocd.show(tab, { theme: 'dark' });
    await expectAccessible(tab.page, '.starfold-tab');
    suite.expectQuiet(tab);
  });

  it('draws one tick a WEC in the order of names, and says the counts in words', async () => {
    suite.put(...eight());
    const tab = await suite.open();
    await says(tab, 'Why the status is what it is');
    const spectrum = tab.page.locator('.sf-spectrum');
    expect(await spectrum.locator('title').allTextContents()).toEqual([
      ...['edge-1: Healthy', 'edge-2: Degraded', 'edge-3: Healthy', 'edge-4: Healthy'],
      ...['edge-5: Healthy', 'edge-6: Progressing', 'edge-7: Silent', 'edge-8: Not reported'],
    ]);
    expect(await spectrum.getAttribute('aria-label')).toBe(
      'WECs by name: 1 Degraded, 1 Silent, 1 Not reported, 1 Progressing, 4 Healthy',
    );
  });

  it('explains each field: value, rule with its document, and who decides', async () => {
    suite.put(healthy('east'), progressing('north'), healthy('west'));
    const tab = await suite.open();
    const row = tab.page.getByRole('row', { name: 'availableReplicas', exact: false }).first();
    await row.waitFor();
    expect(await row.getByRole('cell').allInnerTexts()).toEqual([
      '1',
      'lowest',
      expect.stringMatching(/^north\s+Progressing$/),
    ]);
    expect(await row.getByRole('link').getAttribute('href')).toBe(
      'https://docs.example.com/starfold/rules.md#deployment',
    );
    suite.expectQuiet(tab);
  });

  it('shows only the WECs with one verdict, and what one of them reports', async () => {
    suite.put(...eight());
    const tab = await suite.open();
    await tab.page.getByRole('button', { name: 'Degraded 1' }).click();
    expect(await listed(tab)).toEqual(['edge-2']);
    await tab.page.getByRole('button', { name: 'edge-2' }).click();
    const details = tab.page.locator('.sf-details');
    await details.getByText('Last contact').waitFor();
    expect(await details.innerText()).toContain('2026-11-25T09:59:50Z');
    expect(JSON.parse(await details.locator('pre').innerText())).toMatchObject({
      availableReplicas: 1,
    });
    await expectAccessible(tab.page, '.starfold-tab');
    suite.expectQuiet(tab);
  });

  it('is read again when Argo CD reads the object again', async () => {
    suite.put(healthy('east'), healthy('west'));
    const tab = await suite.open();
    await says(tab, 'in all 2 WECs.');
    suite.put(degraded('west'));
    await suite.change(tab);
    await says(tab, ', because');
    expect(await sentence(tab)).toBe('Degraded, because west is Degraded.');
    suite.expectQuiet(tab);
  });

  it('is read again by itself, but not while it cannot be seen', async () => {
    suite.put(healthy('east'));
    const tab = await suite.open();
    await says(tab, 'in its WEC.');
    await tab.page.clock.install();
    await suite.argocd.show(tab, {
      resource: { ...DEPLOYMENT, metadata: { ...DEPLOYMENT.metadata, name: 'api' } },
    });
    await says(tab, 'No Binding');
    await suite.argocd.show(tab, { resource: DEPLOYMENT });
    await says(tab, 'in its WEC.');
    suite.put(degraded('east'));
    await tab.page.clock.runFor(10_000);
    await says(tab, ', because');

    const hide = (state: string) =>
      tab.page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await hide('hidden');
    const before = suite.argocd.server.proxied.length;
    await tab.page.clock.runFor(600_000);
    expect(suite.argocd.server.proxied).toHaveLength(before);
    suite.put(healthy('east'));
    await hide('visible');
    await says(tab, 'in its WEC.');

    await suite.argocd.show(tab, { tab: 'Summary' });
    await tab.page.getByText('Summary of the object').waitFor();
    const last = suite.argocd.server.proxied.length;
    await tab.page.clock.runFor(600_000);
    expect(suite.argocd.server.proxied).toHaveLength(last);
    suite.expectQuiet(tab);
  });

  it('finds the resource of a kind with another plural', async () => {
    const workload = { group: 'example.com', resource: 'meshen', namespace: 'shop', name: 'web' };
    const { health: _health, ...bare } = status(workload, 'east', { status: { phase: 'Up' } });
    suite.argocd.api.wds.allows = () => true;
    suite.put({ ...bare, kind: 'Mesh' });
    const resource = { ...DEPLOYMENT, apiVersion: 'example.com/v1', kind: 'Mesh' };
    const tab = await suite.open(resource);
    await says(tab, 'Argo CD has no health rule for Mesh.');
    expect(await listed(tab)).toEqual(['east']);
    suite.expectQuiet(tab);
  });

  it('shows the WECs of an object without a namespace', async () => {
    const workload = {
      ...{ group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
      ...{ namespace: '', name: 'system:node' },
    };
    suite.argocd.api.wds.allows = () => true;
    suite.put({ ...status(workload, 'east'), kind: 'ClusterRole' });
    const { namespace: _namespace, ...metadata } = { ...DEPLOYMENT.metadata, name: 'system:node' };
    const tab = await suite.open({
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata },
    });
    await tab.page.getByRole('button', { name: 'east' }).click();
    await tab.page.locator('.sf-details pre').waitFor();
    suite.expectQuiet(tab);
  });
});

describe('the tab of an object of which there is nothing to show', () => {
  it('says that no Binding sends it to a WEC', async () => {
    const tab = await suite.open();
    await says(tab, 'No Binding sends this object to a WEC.');
    await expectAccessible(tab.page, '.starfold-tab');
    suite.expectQuiet(tab);
  });

  it('says that the WDS has another object of this name', async () => {
    suite.put(healthy('east'));
    const metadata = { ...DEPLOYMENT.metadata, creationTimestamp: '2020-01-01T00:00:00Z' };
    const tab = await suite.open({ ...DEPLOYMENT, metadata });
    await says(tab, 'the cluster of this application is not the WDS behind the extension');
    expect(await listed(tab)).toEqual([]);
    suite.expectQuiet(tab);
  });

  it('says that Argo CD has not read the object', async () => {
    const tab = await suite.open();
    await suite.argocd.show(tab, { resource: { apiVersion: 'v1', kind: 'Pod', metadata: {} } });
    await says(tab, 'Argo CD has not read the object');
  });

  it('has no tab for an Application, and one for objects of the core group', async () => {
    const tab = await suite.open({
      ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name: 'shop' } },
    });
    await tab.page.getByText('Summary of the object').waitFor();
    expect(await tab.page.locator('nav button').allInnerTexts()).toEqual(['Summary']);
    await suite.argocd.show(tab, { resource: { apiVersion: 'v1', kind: 'Service', metadata: {} } });
    expect(await tab.page.locator('nav button').allInnerTexts()).toEqual(['Summary', 'WECs']);
  });
});
