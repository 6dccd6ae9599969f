// The reasons in dead letters: why the content of a message was not recorded. `sender` is a principal, or the token of a source.
// `source` is a source as operators write it.

/** A message that somebody else has sent before. */
export function noRedriver(sender: string): string {
  return `${sender} may not redrive messages of others: starfold redrive registers redrivers`;
}

/** The one source of a message. */
export function notRegistered(sender: string, source: string): string {
  return `${sender} is not registered for ${source}`;
}

function severalSources(sender: string, count: number): string {
  return `${sender} reports ${count} sources in one message`;
}

/** `count` sources, of which some are a WDS or upstream. */
export function mixedSources(sender: string, count: number): string {
  return `${severalSources(sender, count)}, not all of them WECs: a forwarder has one source, or the WECs of an ITS, so send those of a WDS or of Fleet by themselves`;
}

/** `count` WECs, of a sender that is not the forwarder of an ITS. */
export function severalWecs(sender: string, count: number): string {
  return `${notRegistered(`${severalSources(sender, count)} and`, 'wec/*')}: a forwarder has one source, so send those of each by themselves; only the forwarder of an ITS reports every WEC, registered by starfold register 'wec/*'`;
}

/** Labels of a ManagedCluster, of a sender that is not the forwarder of the hub. */
export function managedCluster(sender: string): string {
  return `${notRegistered(`${sender} reports a ManagedCluster and`, 'wec/*')}: only the forwarder of the hub does, registered by starfold register 'wec/*'`;
}

/** What {@link overQuota} names. */
interface OverQuota {
  readonly quota: number;
  /** How many events of new objects were left out. */
  readonly events: number;
  /** One of these objects. */
  readonly example: string;
}

/** A source has reported more objects than its quota. */
export function overQuota(source: string, { quota, events, example }: OverQuota): string {
  return `${source} has reached its quota of ${quota} objects: have its forwarder select fewer, or raise objectsPerWec; a later snapshot reports the ${events} events of new ones that were left out, such as of ${example}`;
}

/** One letter for `count` messages of a sender that exceed its quota. */
export function sharedLetter(count: number): string {
  return `the letter is for ${count} messages, and has the shortest of them`;
}
