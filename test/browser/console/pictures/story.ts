import type { Browser } from '#tools/browser.ts';
import { type Frame, gifOf } from './images.ts';
import { openView, pictureOf } from './look.ts';
import { overviewShown, whatIfShown, whyShown, workloadShown } from './screens.ts';

const SEARCHED = 'deployment/web';
const VIEW = { theme: 'dark', width: 1200, height: 750 } as const;
const KEY_MS = 110;

/** The animated picture: the overview, a search, the object that is found, why its status is what it is, and what if. */
export async function takeStory(browser: Browser, url: string): Promise<Uint8Array> {
  const { page, context } = await openView(browser, url, VIEW);
  const frames: Frame[] = [];
  const show = async (ms: number): Promise<void> => {
    frames.push({ png: await pictureOf(page), ms });
  };
  await overviewShown(page);
  await show(2_500);
  await page.keyboard.press('/');
  for (const character of SEARCHED) {
    await page.keyboard.type(character);
    await show(KEY_MS);
  }
  await show(900);
  await page.keyboard.press('Enter');
  await workloadShown(page);
  await show(3_000);
  await page.keyboard.press('w');
  await whyShown(page);
  await show(3_000);
  await page.keyboard.press('x');
  await whatIfShown(page);
  await show(4_000);
  await context.close();
  return gifOf(frames);
}
