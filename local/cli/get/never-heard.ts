import { askJson, pathOf, RefusedError } from '#local/cli/door/ask-json.ts';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import { WECS } from '#shared/api/wecs.ts';
import type { WecState } from '#shared/core/status-api/wec-status.ts';
import { neverHeard } from './messages.ts';
import type { Asking } from './request.ts';
import type { TablePage } from './table.ts';

/** A misspelt name is in many rows, but seldom in several forms. Each costs a request. */
const MAX_ASKED = 5;
const NOT_FOUND = 404;
const STATE: WecState = 'NotReported';

/** Of the WECs whose rows say that they have not reported an object, finds those of which nothing is known. */
export class NeverHeard {
  readonly #wecs = new Set<string>();
  #columns: readonly string[] = [];

  /** Takes note of a page of a Table of WECStatuses. Other Tables have no such columns. */
  note({ columns, rows }: TablePage): void {
    if (columns.length > 0) this.#columns = columns.map(({ name }) => name);
    const [wec, state] = [this.#columns.indexOf('WEC'), this.#columns.indexOf('State')];
    for (const { cells } of rows)
      if (cells[state] === STATE && this.#wecs.size < MAX_ASKED) this.#wecs.add(String(cells[wec]));
  }

  /** What to tell the user, after the last page. */
  async notices({ door, signal }: Asking): Promise<readonly string[]> {
    const texts: string[] = [];
    for (const wec of this.#wecs)
      try {
        const path = pathOf({ plural: WECS.names.plural }, wec);
        await askJson(door, { method: 'GET', path, signal }, () => undefined);
      } catch (error) {
        // The rows, which were asked for, are complete: also if the reader may not read WECs, or the server is down now.
        if (!(error instanceof InputError)) throw error;
        if (error instanceof RefusedError && error.code === NOT_FOUND) texts.push(neverHeard(wec));
      }
    return texts;
  }
}
