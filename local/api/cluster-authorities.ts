import { at, isArray, type JsonObject, parseJson, textAt } from '#shared/core/json.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';

/** How the front proxy of an API server names the user for whom it speaks (Kubernetes, "Authenticating Proxy"). */
export interface FrontProxy {
  /** The authority of its certificate, PEM. */
  readonly ca: string;
  /** The common names that it may have. Empty for any. */
  readonly allowedNames: readonly string[];
  /** Names of headers, in lower case. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** The authorities that an API server publishes for servers beside it. */
export interface ClusterAuthorities {
  /** The authority of the certificates of users, PEM. Absent if there is none. */
  readonly clientCa?: string;
  /** Absent if the API server has no aggregation layer. */
  readonly frontProxy?: FrontProxy;
}

const CONFIG_MAP = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  namespace: 'kube-system',
  name: 'extension-apiserver-authentication',
} as const;

/** A list of texts that is JSON in a field of the ConfigMap. */
function list(data: JsonObject, field: string): readonly string[] {
  const text = textAt(data, 'data', field);
  if (text === '') return [];
  const value = parseJson(text);
  return isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function headers(data: JsonObject, field: string): readonly string[] {
  return list(data, field).map((name) => name.toLowerCase());
}

function frontProxyOf(data: JsonObject): FrontProxy | undefined {
  const ca = textAt(data, 'data', 'requestheader-client-ca-file');
  if (ca === '') return undefined;
  return {
    ca,
    allowedNames: list(data, 'requestheader-allowed-names'),
    usernameHeaders: headers(data, 'requestheader-username-headers'),
    uidHeaders: headers(data, 'requestheader-uid-headers'),
    groupHeaders: headers(data, 'requestheader-group-headers'),
    extraPrefixes: headers(data, 'requestheader-extra-headers-prefix'),
  };
}

/**
 * Reads the authorities from the ConfigMap `kube-system/extension-apiserver-authentication`.
 *
 * @throws ApiUnavailableError, ApiForbiddenError; SyntaxError if a field is not JSON
 */
export async function readClusterAuthorities(
  wds: Pick<ObjectApi, 'get'>,
): Promise<ClusterAuthorities> {
  const data = await wds.get(CONFIG_MAP);
  if (data === undefined || at(data, 'data') === undefined) return {};
  const clientCa = textAt(data, 'data', 'client-ca-file');
  const frontProxy = frontProxyOf(data);
  return {
    ...(clientCa === '' ? {} : { clientCa }),
    ...(frontProxy === undefined ? {} : { frontProxy }),
  };
}
