import type { MailboxStore } from '@tallystick/cards';
import { lockForUpdate, type Session } from '../../connection/session.ts';
import { readNewestFirst } from '../queries/paging.ts';

export function mailboxStore(session: Session): MailboxStore {
  const { db } = session;
  const messages = () => db.selectFrom('tallystick_mailbox_messages').selectAll();
  return {
    async insert(message) {
      await db.insertInto('tallystick_mailbox_messages').values(message).execute();
    },

    async find(id) {
      return (await messages().where('id', '=', id).executeTakeFirst()) ?? null;
    },

    list: (page) => readNewestFirst('mailbox', messages(), page, (row) => row),

    async listAfter(after_id, limit) {
      return await lockForUpdate(session, messages().where('id', '>', after_id).orderBy('id').limit(limit)).execute();
    },

    async reseal(id, message_sealed) {
      await db.updateTable('tallystick_mailbox_messages').set({ message_sealed }).where('id', '=', id).execute();
    },

    async purge(before_ms, limit) {
      const old = db
        .selectFrom('tallystick_mailbox_messages')
        .select('id')
        .where('received_at_ms', '<', before_ms)
        .orderBy('received_at_ms')
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom('tallystick_mailbox_messages')
        .where('id', 'in', lockForUpdate(session, old))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
