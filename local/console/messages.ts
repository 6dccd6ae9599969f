// What the page is told about the servers behind it, and that the page is not built.

/** A server that has answered, but is not an API server. `type` is the content-type of its answer. */
export function notAnApiServer(server: string, code: number, type = 'no content-type'): string {
  return `${server} answers ${code} with ${type} instead of JSON: check that the address is that of an API server`;
}

/** A server without an answer. */
export function notAnswering(server: string, reason: string): string {
  return `${server} does not answer (${reason})`;
}

/** The reason may be secret, so it is not told. */
export function unusableCredentials(server: string): string {
  return upstreamFault(server, 'the credentials cannot be used');
}

/** A server that cannot be asked. */
export function upstreamFault(server: string, fault: string): string {
  return `${server}: ${fault}`;
}

/** The body of a query that is JSON. */
export const BODY_NOT_AN_OBJECT = 'the body of the request is not a JSON object';

/** `found` is the folder of the page, or what is missing in it. */
export function notBuilt(found: string): string {
  return `the page is not built (${found}): npm run build:console in the folder of Starfold builds it`;
}

/** What {@link notBuilt} says of a folder without the file that the page begins with. */
export function hasNo(folder: string, file: string): string {
  return `${folder} has no ${file}`;
}
