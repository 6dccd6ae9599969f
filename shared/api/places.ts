import { placesOfUserTaken, placesTaken } from './messages.ts';
import { tooManyRequests } from './status-error.ts';

/** How many of something there may be at a time. */
export interface PlacesOptions {
  /** The plural of what has a place, such as `watches`. */
  readonly what: string;
  readonly max: number;
  /** How many of them one user may have. */
  readonly ofOneUser: number;
}

/** Gives back a place. Further calls do nothing. */
export type GiveBack = () => void;

/** Counts what there may be only so many of at a time. Nobody waits for a place. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /**
   * Takes a place. It waits for nothing, so requests that begin together cannot take more places than there are.
   *
   * @param user the authenticated name of the user
   * @throws StatusError 429 if there is no place for this user
   */
  take(user: string): GiveBack {
    const { what, max, ofOneUser } = this.#options;
    const taken = this.#taken.get(user) ?? 0;
    if (taken >= ofOneUser)
      throw tooManyRequests(placesOfUserTaken(user, { what, taken, ofOneUser }));
    if (this.#all >= max) throw tooManyRequests(placesTaken(what, max));
    this.#all += 1;
    this.#taken.set(user, taken + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#free(user);
      isTaken = false;
    };
  }

  #free(user: string): void {
    this.#all -= 1;
    const left = (this.#taken.get(user) ?? 1) - 1;
    if (left === 0) this.#taken.delete(user);
    else this.#taken.set(user, left);
  }
}
