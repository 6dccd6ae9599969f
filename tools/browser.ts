/** Chromium, and axe. Tests import this file, because the packages of this folder are only found from here. */
export { default as AXE } from 'axe-core';
export {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright-core';
