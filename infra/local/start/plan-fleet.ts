import type { FleetMode } from '#shared/core/fleet/fleet-object.ts';
import type { ChosenContext } from './plan.ts';
import { type Address, isLoopback, parseAddress } from './plan-intake.ts';

/** The options of `starfold start` that are about Rancher Fleet. */
export interface FleetOptions {
  readonly fleet?: string;
  readonly fleetMode?: FleetMode;
  readonly api?: string;
}

/** A management cluster of Fleet, and what is done about its statuses. */
export interface FleetPlan {
  readonly cluster: ChosenContext;
  readonly mode: FleetMode;
  /** Where what is known of it can be asked for by HTTP; absent: nowhere. */
  readonly api: Address | undefined;
}

function planApi(api: string): Address | string {
  const address = parseAddress(api);
  if (address === undefined)
    return `--api ${api} is no address: write it as 8081, 127.0.0.1:8081 or [::1]:8081`;
  if (isLoopback(address.host)) return address;
  return `--api ${api} would let others in, and nobody is asked who he is: give an address of this machine alone, such as 127.0.0.1:${address.port}, behind what asks for that`;
}

/**
 * What is to be done about Fleet; `undefined`: nothing; a text: what is wrong with the options, and what to do.
 *
 * @param chosen reads the name of a context
 */
export function planFleet(
  { fleet, fleetMode, api }: FleetOptions,
  chosen: (text: string) => ChosenContext,
): FleetPlan | undefined | string {
  if (fleet === undefined) {
    if (fleetMode !== undefined) return '--fleet-mode is for --fleet: give both, or leave both out';
    if (api !== undefined) return '--api is for --fleet: give both, or leave both out';
    return undefined;
  }
  const address = api === undefined ? undefined : planApi(api);
  if (typeof address === 'string') return address;
  return { cluster: chosen(fleet), mode: fleetMode ?? 'compare', api: address };
}
