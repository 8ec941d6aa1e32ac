import type { MailOutbox } from '@tallystick/cards';
import type { State } from '../storage/state.ts';

/** Mails to be sent. */
export function mailStore({ mails }: State): MailOutbox {
  return {
    async queue({ recipients, ...mail }) {
      for (const recipient of recipients) {
        const id = mails.nextId();
        mails.set(id, {
          ...mail,
          id,
          recipient,
          state: 'pending',
          attempts: 0,
          first_attempt_at_ms: null,
          due_at_ms: mail.created_at_ms,
          finished_at_ms: null,
          error: null,
        });
      }
    },
  };
}
