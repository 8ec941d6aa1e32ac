import type { Mail } from '@tallystick/cards';
import { assert, type Lease, Refusal } from '@tallystick/kernel';
import { assertSame, refusalOf } from './assertions.ts';
import type { ContractRule, TwoProcesses } from './contract-rule.ts';
import { endDueMails, lease, type MailStorage, newCompany, now_ms, queueMails } from './mail-storage.ts';

const minute_ms = 60_000;
const other_lease: Lease = { ...lease, token: 'two' };
const recipients = ['ann@example.com', 'bob@example.com', 'eve@example.com'];

function claim({ unitOfWork }: MailStorage, { at_ms = now_ms, limit = 100, of = lease } = {}) {
  return unitOfWork.run((tx) => tx.mails.claimDue(at_ms, limit, of));
}

function find({ unitOfWork }: MailStorage, id: number): Promise<Mail | null> {
  return unitOfWork.read((tx) => tx.mails.find(id));
}

function record({ unitOfWork }: MailStorage, mails: readonly Mail[], token = lease.token): Promise<void> {
  return unitOfWork.run((tx) => tx.mails.record(mails, token));
}

function sent(mail: Mail, at_ms = now_ms): Mail {
  const ended = { state: 'sent', attempts: mail.attempts + 1, due_at_ms: null, error: null } as const;
  return { ...mail, ...ended, first_attempt_at_ms: at_ms, finished_at_ms: at_ms };
}

function failed(mail: Mail, at_ms = now_ms): Mail {
  return { ...sent(mail, at_ms), state: 'failed', error: 'refused 550' };
}

/** What every adapter of `MailStore` promises. */
export const mail_store_contract: readonly ContractRule<TwoProcesses<MailStorage>>[] = [
  {
    rule: 'each recipient gets a mail that is due at once; without recipients there is none',
    async check(open) {
      const { here, there } = await open();
      const company_id = await newCompany(here);
      const mails = await queueMails(here, company_id, recipients);
      assertSame(
        'the mails',
        mails,
        recipients.map((recipient, place) => ({
          id: mails[place]?.id,
          company_id,
          card_id: 1,
          kind: 'card_details',
          recipient,
          state: 'pending',
          attempts: 0,
          first_attempt_at_ms: null,
          due_at_ms: now_ms,
          created_at_ms: now_ms,
          finished_at_ms: null,
          error: null,
        })),
      );
      assertSame('one of them', await find(there, mails[0]!.id), mails[0]);
      assertSame('an unknown mail', await find(here, 999_999_999), null);
      const before = await here.unitOfWork.read((tx) => tx.mails.backlog());
      await queueMails(here, company_id, []);
      assertSame('the backlog', await here.unitOfWork.read((tx) => tx.mails.backlog()), before);
    },
  },
  {
    rule: 'mails of a transaction that rolls back are never sent',
    async check(open) {
      const { here } = await open();
      const company_id = await newCompany(here);
      const rolled_back = here.unitOfWork.run(async ({ mails }) => {
        await mails.queue({ company_id, card_id: 1, kind: 'card_details', recipients, created_at_ms: now_ms });
        throw new Refusal('validation_failed', 'changed my mind');
      });
      await refusalOf(rolled_back, 'the transaction');
      const page = await here.unitOfWork.read((tx) => tx.mails.list({ company_id }, { limit: 9 }));
      assertSame('the mails', page, { items: [], next: null });
    },
  },
  {
    rule: 'mails are listed newest first, by company and state, on pages that leave none out',
    async check(open) {
      const { here } = await open();
      await endDueMails(here);
      const [own, other] = [await newCompany(here), await newCompany(here)];
      const mails = await queueMails(here, own, recipients);
      await claim(here);
      await record(here, [sent(mails[1]!)]);
      const foreign = await queueMails(here, other, recipients.slice(0, 1));
      await here.unitOfWork.read(async ({ mails: store }) => {
        const first = await store.list({ company_id: own }, { limit: 2 });
        assert(first.next !== null, 'the first page has no cursor');
        const second = await store.list({ company_id: own }, { limit: 2, after: first.next });
        const ids = [...first.items, ...second.items].map(({ id }) => id);
        assertSame('of one company', ids, mails.map(({ id }) => id).toReversed());
        assertSame('the cursor of the last page', second.next, null);
        const pending = await store.list({ company_id: own, state: 'pending' }, { limit: 9 });
        assertSame('pending', pending.items, [mails[2], mails[0]]);
        const done = await store.list({ company_id: own, state: 'sent' }, { limit: 9 });
        assertSame('sent', done.items, [sent(mails[1]!)]);
        assertSame('of all companies', (await store.list({}, { limit: 1 })).items, foreign);
      });
    },
  },
  {
    rule: 'a claim leases due mails, the oldest due first, at most as many as asked, with their company’s wish',
    async check(open) {
      const { here } = await open();
      await endDueMails(here);
      const [plain, detailed] = [await newCompany(here), await newCompany(here, true)];
      const [later] = await queueMails(here, plain, ['later@example.com'], now_ms + 2);
      const [second] = await queueMails(here, plain, ['second@example.com'], now_ms);
      const [first] = await queueMails(here, detailed, ['first@example.com'], now_ms - 1);
      assertSame('one', await claim(here, { limit: 1 }), [{ mail: first, full_details: true }]);
      assertSame('the rest', await claim(here), [{ mail: second, full_details: false }]);
      assertSame('none is due', await claim(here, { at_ms: now_ms + 1 }), []);
      assertSame('when it is due', await claim(here, { at_ms: now_ms + 2 }), [{ mail: later, full_details: false }]);
    },
  },
  {
    rule: 'a leased mail is claimed again only when the lease has run out on the machine’s time',
    async check(open) {
      const { here } = await open();
      await endDueMails(here);
      const [mail] = await queueMails(here, await newCompany(here), recipients.slice(0, 1));
      await claim(here);
      const at_ms = now_ms + 1_000 * minute_ms;
      const before = { ...other_lease, machine_ms: lease.until_machine_ms - 1 };
      assertSame('a millisecond before', await claim(here, { at_ms, of: before }), []);
      const after = { token: 'two', machine_ms: lease.until_machine_ms, until_machine_ms: lease.until_machine_ms + 9 };
      assertSame('when it has run out', (await claim(here, { at_ms, of: after })).length, 1);
      await record(here, [sent(mail!)], lease.token);
      assertSame('recorded with the lost lease', await find(here, mail!.id), mail);
      await record(here, [sent(mail!)], after.token);
      assertSame('recorded with the new one', await find(here, mail!.id), sent(mail!));
    },
  },
  {
    rule: 'racing processes claim each mail once',
    async check(open) {
      const { here, there } = await open();
      await endDueMails(here);
      const addresses = Array.from({ length: 20 }, (_, place) => `to-${place}@example.com`);
      const mails = await queueMails(here, await newCompany(here), addresses);
      const claims = Array.from({ length: 8 }, (_, place) =>
        claim(place % 2 === 0 ? here : there, { limit: 5, of: { ...lease, token: `process ${place}` } }),
      );
      const claimed = (await Promise.all(claims)).flat();
      const rest = await claim(here, { of: other_lease });
      const ids = [...claimed, ...rest].map(({ mail }) => mail.id).toSorted((a, b) => a - b);
      assertSame(
        'the claimed mails',
        ids,
        mails.map(({ id }) => id),
      );
    },
  },
  {
    rule: 'a record ends the lease: a mail with attempts left is claimed again when it is due',
    async check(open) {
      const { here } = await open();
      await endDueMails(here);
      const [mail] = await queueMails(here, await newCompany(here), recipients.slice(0, 1));
      await claim(here);
      const due_at_ms = now_ms + minute_ms;
      const tried: Mail = { ...mail!, attempts: 1, first_attempt_at_ms: now_ms, due_at_ms, error: 'refused 451' };
      await record(here, [tried]);
      assertSame('the mail', await find(here, mail!.id), tried);
      assertSame('before it is due', await claim(here, { at_ms: due_at_ms - 1, of: other_lease }), []);
      const again = await claim(here, { at_ms: due_at_ms, of: other_lease });
      assertSame('when it is due', again, [{ mail: tried, full_details: false }]);
      await record(here, []);
    },
  },
  {
    rule: 'a restart makes a failed mail due again, and leaves a pending one alone',
    async check(open) {
      const { here } = await open();
      await endDueMails(here);
      const [mail, pending] = await queueMails(here, await newCompany(here), recipients.slice(0, 2));
      await claim(here);
      await record(here, [failed(mail!)]);
      const restart = (restarted: Mail) => here.unitOfWork.run((tx) => tx.mails.restart(restarted));
      const restarted: Mail = { ...mail!, due_at_ms: now_ms + 5 };
      await restart(restarted);
      assertSame('the mail', await find(here, mail!.id), restarted);
      await restart({ ...pending!, due_at_ms: now_ms + 5 });
      assertSame('the pending one', await find(here, pending!.id), pending);
      const claimed = await claim(here, { at_ms: now_ms + 5, of: other_lease });
      assertSame(
        'claimed again',
        claimed.map((one) => one.mail),
        [restarted],
      );
    },
  },
  {
    rule: 'the backlog counts pending mails, leased or not, and finds the first that is due',
    async check(open) {
      const { here } = await open();
      await endDueMails(here);
      const backlog = () => here.unitOfWork.read((tx) => tx.mails.backlog());
      assertSame('without mails', await backlog(), { pending: 0, oldest_due_at_ms: null });
      const company_id = await newCompany(here);
      const [first] = await queueMails(here, company_id, ['first@example.com'], now_ms);
      await queueMails(here, company_id, ['second@example.com'], now_ms + 7);
      assertSame('with two', await backlog(), { pending: 2, oldest_due_at_ms: now_ms });
      await claim(here);
      assertSame('with one leased', await backlog(), { pending: 2, oldest_due_at_ms: now_ms });
      await record(here, [sent(first!)]);
      assertSame('with one sent', await backlog(), { pending: 1, oldest_due_at_ms: now_ms + 7 });
    },
  },
  {
    rule: 'sent mails are purged by age, at most as many as asked; failed and pending ones stay',
    async check(open) {
      const { here } = await open();
      await endDueMails(here);
      const company_id = await newCompany(here);
      const purge = (before_ms: number, limit: number) =>
        here.unitOfWork.run((tx) => tx.mails.purgeSent(before_ms, limit));
      await purge(Number.MAX_SAFE_INTEGER, 1_000);
      const [one, two, three] = await queueMails(here, company_id, recipients);
      const [pending] = await queueMails(here, company_id, ['pending@example.com'], now_ms + 1);
      await claim(here);
      await record(here, [sent(one!), sent(two!, now_ms + 1), failed(three!)]);
      assertSame('at the instant itself', await purge(now_ms, 9), 0);
      assertSame('the older one', await purge(now_ms + 1, 9), 1);
      assertSame('at most none', await purge(now_ms + 2, 0), 0);
      assertSame('the other', await purge(now_ms + 2, 9), 1);
      const page = await here.unitOfWork.read((tx) => tx.mails.list({ company_id }, { limit: 9 }));
      assertSame('what is left', page.items, [pending, failed(three!)]);
    },
  },
];
