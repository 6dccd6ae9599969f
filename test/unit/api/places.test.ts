import { describe, expect, it } from 'vitest';
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
      '"alice" has 2 watches already, and one user may have 2: end one, or try again later',
    );
    giveBack();
    expect(() => some.take('alice')).not.toThrow();
  });

  it('are so many for all users', () => {
    const some = places();
    for (const user of ['alice', 'bob', 'carol']) some.take(user);
    expect(() => some.take('dave')).toThrow('there are 3 watches already: try again later');
    expect(() => some.take('dave')).toThrow(expect.objectContaining({ code: 429 }));
  });

  it('are given back once', () => {
    const some = places();
    const giveBack = some.take('alice');
    for (const user of ['bob', 'carol']) some.take(user);
    giveBack();
    giveBack();
    some.take('dave');
    expect(() => some.take('erin')).toThrow('there are 3 watches already');
  });
});
