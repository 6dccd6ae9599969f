import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExtension } from '#extensions/argocd/build.ts';
import { type StatusServer, startStatusServer } from '#local/api/status-server.ts';
import { createTokenUsers } from '#shared/api/token-users.ts';
import { at, type JsonObject, textAt } from '#shared/core/json.ts';
import { openPage, type WatchedPage } from '#test/browser/harness/browser.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { AskedApi } from '#test/unit/api/ask.ts';
import { argocdRules, isAllowedBy } from '#test/unit/infra/argocd-account.ts';
import type { Browser, BrowserContextOptions } from '#tools/browser.ts';
import { ArgoCdServer } from './argocd-server.ts';

const TOKEN = 'argocd-token';

/** A WDS that knows one token. */
const TOKENS = {
  create: async (_ref: unknown, review: JsonObject): Promise<JsonObject> => {
    const authenticated = at(review, 'spec', 'token') === TOKEN;
    const user = { username: 'system:serviceaccount:argocd:starfold-tab', groups: [] };
    return { ...review, status: { authenticated, ...(authenticated ? { user } : {}) } };
  },
};

/** The application of the tests. */
export const APPLICATION = {
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: { project: 'default', destination: { server: 'https://wds1' } },
};

/** The Deployment `shop/web`, as Argo CD passes it to a tab. */
export const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    ...{ name: 'web', namespace: 'shop', resourceVersion: '1' },
    creationTimestamp: '2026-11-20T10:00:00Z',
  },
};

/** Starfold's API over TLS, and in front of it what stands in for Argo CD. */
export class ArgoCd {
  /** The API that is asked, with the statuses and the permissions behind it. */
  api: AskedApi;
  readonly server: ArgoCdServer;
  readonly #folder: string;
  readonly #pair = selfSigned();
  #status: StatusServer | undefined;

  private constructor(folder: string, file: string) {
    this.#folder = folder;
    this.api = new AskedApi();
    const settings = join(folder, 'extension-0-starfold.js');
    writeFileSync(
      settings,
      "window.starfoldSettings = { documents: 'https://docs.example.com/starfold' };",
    );
    this.server = new ArgoCdServer({ files: [settings, file], allows: true });
  }

  static async start(): Promise<ArgoCd> {
    const folder = mkdtempSync(join(tmpdir(), 'starfold-argocd-'));
    const argocd = new ArgoCd(folder, await buildExtension(folder));
    await argocd.startApi();
    await argocd.server.start();
    return argocd;
  }

  /** Starts Starfold's server, at another port than before. */
  async startApi(): Promise<void> {
    const { cert, key } = this.#pair;
    const files = {
      certFile: join(this.#folder, 'tls.crt'),
      keyFile: join(this.#folder, 'tls.key'),
    };
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
    const userOf = createTokenUsers(TOKENS, () => performance.now());
    this.#status = await startStatusServer({
      ...{ host: '127.0.0.1', port: 0, api: this.api.api },
      protection: {
        ...{ type: 'tls', files, authorities: () => [] },
        authenticate: (request) => userOf(request.headers.authorization ?? ''),
        onCertificateFault: () => undefined,
      },
      onError: (error) => this.api.errors.push(error),
    });
    this.connect(`Bearer ${TOKEN}`);
  }

  /** Sets the header that Argo CD adds. */
  connect(authorization: string): void {
    const { url = '' } = this.#status ?? {};
    this.server.configuration.backend = { url, authorization, ca: this.#pair.cert };
  }

  async stopApi(): Promise<void> {
    await this.#status?.stop();
    this.#status = undefined;
  }

  /** New statuses, Argo CD as it was first, and its account with the permissions of infra/argocd/account.yaml. */
  async reset(): Promise<void> {
    await this.stopApi();
    this.api = new AskedApi();
    const rules = argocdRules();
    this.api.wds.allows = (asked) =>
      isAllowedBy(rules, {
        verb: textAt(asked, 'verb'),
        group: textAt(asked, 'group'),
        resource: textAt(asked, 'resource'),
      });
    this.server.proxied.length = 0;
    this.server.gate = undefined;
    this.server.configuration.allows = true;
    await this.startApi();
  }

  /** Opens the page with the tab of an object. */
  async open(
    browser: Browser,
    options: BrowserContextOptions = {},
    resource: unknown = DEPLOYMENT,
  ): Promise<WatchedPage> {
    const opened = await openPage(browser, this.server.address, options);
    await this.show(opened, { resource, application: APPLICATION });
    return opened;
  }

  /** Argo CD shows something else. */
  async show({ page }: WatchedPage, change: unknown): Promise<void> {
    await page.evaluate(`standIn.show(${JSON.stringify(change)})`);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.stopApi();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
