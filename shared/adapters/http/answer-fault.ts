/** What came back for a request. */
export interface Answer {
  /** Names the state of the receiver; absent: it does not say. */
  readonly state?: string;
  readonly status: number;
  /** The beginning of its body. */
  readonly text: string;
  readonly location?: string;
}

/** What a fault of a request can be about. */
export interface RequestPlace {
  readonly url: string;
  readonly tokenFile: string;
  readonly caFile?: string;
  /** Of the request, compressed. */
  readonly bytes: number;
}

const MAX_TEXT_CHARACTERS = 300;

/** What Node says of certificates that no known authority has signed (Node.js, "TLS", X509 certificate error codes). */
const UNKNOWN_AUTHORITY =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;

function remedyOf({ status, location }: Answer, place: RequestPlace): string {
  if (status === 401)
    return `the receiver does not know the token in ${place.tokenFile}: put that token, under the name of this source, into the file that starfold start --tokens names there`;
  if (status === 413)
    return `something between here and the receiver takes no request of ${place.bytes} bytes: raise the limit of the proxy to 11 MiB`;
  if (status >= 300 && status < 400)
    return `a redirect${location === undefined ? '' : ` to ${location}`} is not followed: give the URL of the receiver itself`;
  if (status === 429 || status >= 500) return 'it is tried again';
  return 'check that the URL is that of starfold start --listen, and that both are of one version';
}

/** What is wrong with an answer other than 202, and what to do. */
export function answerFault(answer: Answer, place: RequestPlace): string {
  const text = answer.text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TEXT_CHARACTERS);
  const said = text === '' ? '' : ` (${text})`;
  return `POST ${place.url}: ${answer.status}${said}: ${remedyOf(answer, place)}`;
}

/** Why no answer came, and where it is known what to do. */
export function connectionFault(error: unknown, { url, caFile }: RequestPlace): string {
  const { code, message } = error as NodeJS.ErrnoException; // Node's errors; each member is looked at as one that may be absent.
  const reason = [code, message].filter((part) => part !== undefined && part !== '').join(': ');
  const remedy = UNKNOWN_AUTHORITY.test(code ?? '')
    ? `; ${caFile === undefined ? 'give the certificate of its authority with caFile' : `the authority of its certificate is not in ${caFile}: put it there`}`
    : '';
  return `POST ${url}: ${reason || String(error)}${remedy}`;
}
