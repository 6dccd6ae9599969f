import { secondsText } from '#shared/core/expression/time.ts';
import { isSilent } from '#shared/core/silence.ts';
import type { Heartbeat } from '#shared/state/heartbeats.ts';
import type { Heard } from './settle-silence.ts';

/** Returns the WECs, and which of them have been silent for longer than a time. */
export function heardAt(
  heartbeats: readonly Heartbeat[],
  { nowMs, silenceMs }: { readonly nowMs: number; readonly silenceMs: number },
): readonly Heard[] {
  return heartbeats.map(({ wec: name, version, heardMs }) =>
    isSilent(heardMs, nowMs, silenceMs)
      ? { name, version, silent: true, lastSeen: secondsText(heardMs) }
      : { name, version, silent: false },
  );
}
