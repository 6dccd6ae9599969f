import { join } from 'node:path';
import { startBrowser } from '#test/browser/harness/chromium.ts';
import { ArgoCd } from './argocd.ts';
import { eight } from './statuses.ts';

// `npm run argocd-picture` takes the picture of docs/argocd.md again.
const PICTURE = join(import.meta.dirname, '..', '..', '..', 'docs', 'argocd.png');
const argocd = await ArgoCd.start();
const browser = await startBrowser();
for (const one of eight()) argocd.api.source.put(one);
const { page } = await argocd.open(browser, { viewport: { width: 900, height: 800 } });
await page.getByText('Why the status is what it is').waitFor();
await page.locator('.starfold-tab').screenshot({ path: PICTURE });
await browser.close();
await argocd.stop();
