import type { Invariant } from './invariant.ts';

const number = /(?<!\d)(?:\d[ -]?){15}\d(?!\d)/;

export const mails_are_sent_once: Invariant = {
  name: 'mails are sent once',
  says: 'each address of a new card gets one mail, at most five, and no mail shows a number',
  begin() {
    let read = 0;
    return {
      *step(step) {
        const queued = new Map<number, string[]>();
        for (const { before, after } of step.changes('mails')) {
          if (before !== undefined || after === undefined) continue;
          queued.set(after.card_id, [...(queued.get(after.card_id) ?? []), after.recipient]);
        }
        for (const { key, before, after } of step.changes('cards')) {
          if (before !== undefined || after === undefined) continue;
          const emails = after.emails ?? [];
          const mails = queued.get(key) ?? [];
          const right = new Set(emails);
          if (emails.length > 5) yield `card ${key} has ${emails.length} addresses`;
          if (after.notified !== emails.length > 0)
            yield `card ${key} with ${emails.length} addresses: notified is ${after.notified}`;
          if (new Set(mails).size !== mails.length) yield `card ${key}: an address gets two mails`;
          for (const to of right)
            if (!mails.includes(to)) yield `card ${key}: no mail is queued to one of its addresses`;
        }
        const fresh = step.history.mails.slice(read);
        read = step.history.mails.length;
        for (const { to, subject, text, html } of fresh) {
          const what = `the mail "${subject}" to ${to}`;
          if ([subject, text, html].some((part) => number.test(part))) yield `${what} shows a number`;
          const { cards, mails } = step.before;
          const about = mails
            .values()
            .filter((mail) => mail.recipient === to && subject.includes(cards.get(mail.card_id)?.last4 ?? subject));
          const is_done = about.length > 0 && about.every(({ state }) => state === 'sent');
          if (is_done) yield `${what} is sent again after it was recorded as sent`;
        }
      },
      *end({ state, now_ms }) {
        for (const { id, due_at_ms } of state.mails.values()) {
          if (due_at_ms !== null && due_at_ms < now_ms - 60_000) yield `mail ${id} is due since ${due_at_ms}`;
        }
      },
    };
  },
};

export const templates_become_active_once: Invariant = {
  name: 'templates become active once',
  says: 'a template goes from PENDING to ACTIVE, on its time, and nowhere else',
  begin: () => ({
    *step(step) {
      for (const { key, before, after } of step.changes('templates')) {
        if (after === undefined || before === undefined || before.status === after.status) continue;
        if (before.status !== 'PENDING' || after.status !== 'ACTIVE') {
          yield `template ${key} goes from ${before.status} to ${after.status}`;
        }
      }
    },
    *end({ state, now_ms }) {
      for (const { id, status, completes_at_ms } of state.templates.values()) {
        if (status === 'PENDING' && completes_at_ms !== null && completes_at_ms < now_ms - 60_000) {
          yield `template ${id} completes at ${completes_at_ms}, and is PENDING`;
        }
      }
    },
  }),
};
