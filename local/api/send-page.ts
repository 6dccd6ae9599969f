import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageFile, PageFiles } from '#local/console/page-files.ts';

/** The file of the page that is requested. Undefined if the request is for the API. */
export function requestedPageFile(
  files: PageFiles | undefined,
  { method, url = '/' }: IncomingMessage,
): PageFile | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  return files?.get(url.replace(/\?.*$/, ''));
}

/** Sends a file of the page, or that it has not changed. */
export function sendPageFile(
  { headers, content }: PageFile,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): void {
  request.resume();
  if (request.headers['if-none-match'] === headers['etag']) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, 'content-length': content.byteLength });
  response.end(request.method === 'HEAD' ? undefined : content);
}
