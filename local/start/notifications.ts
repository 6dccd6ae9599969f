import { readFileSync } from 'node:fs';
import type { StackOptions } from '#local/stack/stack-options.ts';
import { unreadableFile } from '#shared/adapters/http/messages.ts';
import {
  NotificationsError,
  parseNotifications,
} from '#shared/adapters/webhooks/notifications-document.ts';

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // The file system's.
    throw new NotificationsError({ place: file, fault: unreadableFile(code) }, { cause: error });
  }
}

/**
 * Reads who is notified of what.
 *
 * @param file undefined if nobody is
 * @throws NotificationsError with the faults of the file
 */
export function readNotifications(file: string | undefined): Pick<StackOptions, 'notifications'> {
  return file === undefined ? {} : { notifications: parseNotifications(file, textOf(file)) };
}
