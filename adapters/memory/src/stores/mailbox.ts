import type { MailboxStore } from '@tallystick/cards';
import { oldestBefore } from '../storage/aging.ts';
import { newestFirst } from '../storage/paging.ts';
import type { State } from '../storage/state.ts';

/** The sandbox's mailbox. */
export function mailboxStore({ mailbox_messages: messages }: State): MailboxStore {
  return {
    async insert(message) {
      const id = messages.nextId();
      messages.set(id, { ...message, id });
    },

    async find(id) {
      return messages.get(id) ?? null;
    },

    async list(page) {
      return newestFirst('mailbox', messages.values(), page);
    },

    async listAfter(after_id, limit) {
      const later = messages.values().filter(({ id }) => id > after_id);
      return later.sort((a, b) => a.id - b.id).slice(0, limit);
    },

    async reseal(id, message_sealed) {
      const message = messages.get(id);
      if (message !== undefined) messages.set(id, { ...message, message_sealed });
    },

    async purge(before_ms, limit) {
      const old = oldestBefore(messages.values(), ({ received_at_ms }) => received_at_ms, before_ms, limit);
      for (const { id } of old) messages.delete(id);
      return old.length;
    },
  };
}
