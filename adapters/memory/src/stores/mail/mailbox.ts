import type { MailboxStore, OneTimeLink, OneTimeLinkStore } from '@tallystick/cards';
import { toHex } from '@tallystick/kernel';
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
  function withToken(token_sha256: Uint8Array): OneTimeLink | undefined {
    const token = toHex(Uint8Array.from(token_sha256));
    return links.values().find((link) => toHex(link.token_sha256) === token);
  }

  return {
    async replace(link) {
      const earlier = links.values().find(({ mail_id }) => mail_id === link.mail_id);
      if (earlier !== undefined && earlier.used_at_ms !== null) return false;
      const id = earlier?.id ?? links.nextId();
      links.set(id, { ...link, id, used_at_ms: null });
      return true;
    },

    async find(token_sha256) {
      return withToken(token_sha256) ?? null;
    },

    async use(token_sha256, now_ms) {
      const link = withToken(token_sha256);
      if (link === undefined || link.used_at_ms !== null || link.expires_at_ms <= now_ms) return null;
      return links.set(link.id, { ...link, used_at_ms: now_ms });
    },

    async purge(before_ms, limit) {
      const old = oldestBefore(links.values(), ({ expires_at_ms }) => expires_at_ms, before_ms, limit);
      for (const { id } of old) links.delete(id);
      return old.length;
    },
  };
}
