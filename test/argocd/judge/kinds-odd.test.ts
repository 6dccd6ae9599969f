import { describeKinds } from './kinds.ts';

// Half of the kinds: each core has a file, so that both are busy.
describeKinds((index) => index % 2 === 1);
