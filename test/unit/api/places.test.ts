import { describe, expect, it } from 'vitest';
import { placesOfUserTaken, placesTaken } from '#shared/api/messages.ts';
import { Places } from '#shared/api/places.ts';

function places(): Places {
  return new Places({ what: 'watches', max: 3, ofOneUser: 2 });
}

describe('places', () => {
  it('are so many for each user', () => {
    const some = places();
    some.take('alice');
    const giveBack = some.take('alice');
    expect(() => some.take('alice')).toThrow(
      placesOfUserTaken('alice', { what: 'watches', taken: 2, ofOneUser: 2 }),
    );
    giveBack();
    expect(() => some.take('alice')).not.toThrow();
  });

  it('are so many for all users', () => {
    const some = places();
    for (const user of ['alice', 'bob', 'carol']) some.take(user);
    expect(() => some.take('dave')).toThrow(placesTaken('watches', 3));
    expect(() => some.take('dave')).toThrow(expect.objectContaining({ code: 429 }));
  });

  it('are given back once', () => {
    const some = places();
    const giveBack = some.take('alice');
    for (const user of ['bob', 'carol']) some.take(user);
    giveBack();
    giveBack();
    some.take('dave');
    expect(() => some.take('erin')).toThrow(placesTaken('watches', 3));
  });
});
