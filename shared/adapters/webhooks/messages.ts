import type { LocalAddressKind } from '#shared/adapters/http/guarded-lookup.ts';

// Why an event is not delivered to a webhook. An error names the receiver before. The sentences about the document of the
// notifications are in document-messages.ts.

export function answersWith(status: number): string {
  return `it answers ${status}`;
}

/** An answer that asks for a pause. `longest` is the longest one, in seconds too. */
export function asksForPause(status: number, seconds: number, longest: number): string {
  const pause =
    seconds > longest
      ? `a pause of more than ${longest} s, which is the longest`
      : `a pause of ${seconds} s`;
  return `${answersWith(status)}, and asks for ${pause}`;
}

export function redirects(status: number): string {
  return `${answersWith(status)}, and a redirect is not followed: give the URL that it leads to`;
}

const KINDS: Readonly<Record<LocalAddressKind, string>> = {
  loopback: 'a loopback address',
  linkLocal: 'a link-local address',
};

/** The host of a URL, which is the address or leads to it. */
export function localReceiver(hostname: string, address: string, kind: LocalAddressKind): string {
  const leads = hostname === address ? `${address} is` : `${hostname} leads to ${address},`;
  return `${leads} ${KINDS[kind]}, to which no events are sent: correct the url`;
}
