import type { MailboxStore, OneTimeLinkStore } from '@tallystick/cards';
import { createLinks } from '../../storage/links.ts';
import { newestFirst, oldestAfter, oldestBefore } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

export function mailboxStore({ mailbox_messages: messages }: State): MailboxStore {
  return {
    async insert(message) {
      messages.insert(message);
    },

    async find(id) {
      return messages.get(id) ?? null;
    },

    async list(page) {
      return newestFirst('mailbox', messages.values(), page);
    },

    async listAfter(after_id, limit) {
      return oldestAfter(messages.values(), after_id, limit);
    },

    async reseal(id, message_sealed) {
      messages.change(id, { message_sealed });
    },

    async purge(before_ms, limit) {
      const old = oldestBefore(messages.values(), ({ received_at_ms }) => received_at_ms, before_ms, limit);
      for (const { id } of old) messages.delete(id);
      return old.length;
    },
  };
}

export function oneTimeLinkStore({ one_time_links: links }: State): OneTimeLinkStore {
  const { withToken, use, purge } = createLinks(links);
  return {
    async replace(link) {
      const earlier = links.values().find(({ mail_id }) => mail_id === link.mail_id);
      if (earlier !== undefined && earlier.used_at_ms !== null) return false;
      const id = earlier?.id ?? links.nextId();
      links.set(id, { ...link, id, used_at_ms: null });
      return true;
    },

    async find(token_sha256) {
      return withToken(token_sha256);
    },

    use,
    purge,
  };
}
