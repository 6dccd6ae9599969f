import type { IncomingMessage } from 'node:http';
import type { User } from '#shared/api/api-request.ts';
import { createTokenUsers, refuseImpersonation } from '#shared/api/token-users.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { certificateUser, frontProxyUser } from './certificate-user.ts';
import { type ClusterAuthorities, readClusterAuthorities } from './cluster-authorities.ts';

const READ_MS = 60_000;

/** Finds who sends requests, as the WDS would. */
export interface WdsUsers {
  /** @throws StatusError 401 if it is nobody whom the WDS knows, 400 if it asks as somebody else, 503 if the WDS does not answer */
  authenticate(request: IncomingMessage): Promise<User>;
  /** The authorities of the certificates that clients may have, PEM. */
  authorities(): readonly string[];
  /** Reads no authorities any more. */
  stop(): void;
}

/** What {@link openWdsUsers} needs. */
export interface WdsUsersOptions {
  readonly wds: Pick<ObjectApi, 'create' | 'get'>;
  /** Called with an error if the authorities of the WDS cannot be read. The former ones stay. */
  readonly onError: (error: unknown) => void;
}

/**
 * Authenticates by what the WDS knows, in its order: the front proxy of its API server (an APIService), a client's certificate of its
 * authority, a bearer token (TokenReview). The authorities are read every minute, because they are renewed now and then.
 */
export async function openWdsUsers({ wds, onError }: WdsUsersOptions): Promise<WdsUsers> {
  const tokenUser = createTokenUsers(wds, () => performance.now());
  let known: ClusterAuthorities = {};
  const read = async (): Promise<void> => {
    try {
      known = await readClusterAuthorities(wds);
    } catch (error) {
      onError(error);
    }
  };
  await read();
  const reading = setInterval(() => void read(), READ_MS);
  reading.unref();
  return {
    authenticate: async (request) => {
      const { frontProxy, clientCa } = known;
      const proxied = frontProxy && frontProxyUser(request, frontProxy);
      if (proxied !== undefined) return proxied;
      const certified = clientCa && certificateUser(request, clientCa);
      const user = certified || (await tokenUser(request.headers.authorization ?? ''));
      refuseImpersonation(request.headers);
      return user;
    },
    authorities: () =>
      [known.clientCa, known.frontProxy?.ca].filter((ca): ca is string => ca !== undefined),
    stop: () => clearInterval(reading),
  };
}
