import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/** The agents for connections. They use a proxy if the environment names one. */
interface ProxyAgents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

/**
 * A variable that should name a proxy has an invalid value. The message does not quote the value, because it may contain a
 * password.
 */
export class ProxyEnvironmentError extends Error {}

const VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const;

/** Completes the URL of a proxy. A proxy may be named without a scheme, as in other programs, but Node ignores such a proxy. */
function proxyUrl(variable: string, value: string): string {
  const url = /^[a-z][-a-z0-9+.]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ProxyEnvironmentError(
      `the environment's ${variable} is not a usable proxy: write it as http://HOST:PORT, or remove it`,
    );
  return url;
}

/**
 * Creates agents that keep connections alive and follow `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in upper or lower case
 * (Node.js, "HTTP", Built-in Proxy Support).
 *
 * @throws ProxyEnvironmentError if the value of a variable is not a URL of http or https
 */
export function createProxyAgents(environment: Readonly<NodeJS.ProcessEnv>): ProxyAgents {
  const proxyEnv: NodeJS.ProcessEnv = { ...environment };
  for (const variable of VARIABLES) {
    const value = environment[variable];
    if (value) proxyEnv[variable] = proxyUrl(variable, value);
  }
  const options = { keepAlive: true, proxyEnv };
  return { httpAgent: new HttpAgent(options), httpsAgent: new HttpsAgent(options) };
}
