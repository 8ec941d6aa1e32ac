import type { Mail, MailTurns } from '@tallystick/cards';
import { assert, type Lease, Refusal } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { newCompany } from '../storage/storage.ts';
import { endDueMails, lease, type MailStorage, now_ms, queueMails } from './mail-storage.ts';

const minute_ms = 60_000;
const other_lease: Lease = { ...lease, token: 'two' };
const recipients = ['ann@example.com', 'bob@example.com', 'eve@example.com'];

interface Claim {
  readonly at_ms?: number;
  readonly of?: Lease;
  readonly turns?: Partial<MailTurns>;
}

function claim({ unitOfWork }: MailStorage, { at_ms = now_ms, of = lease, turns = {} }: Claim = {}) {
  const all: MailTurns = { limit: 100, per_company_max: 100, after_company_id: 0 };
  return unitOfWork.run((tx) => tx.mails.claimDue(at_ms, of, { ...all, ...turns }));
}

function find({ unitOfWork }: MailStorage, id: number): Promise<Mail | null> {
  return unitOfWork.read((tx) => tx.mails.find(id));
}

function record({ unitOfWork }: MailStorage, mails: readonly Mail[], token = lease.token): Promise<void> {
  return unitOfWork.run((tx) => tx.mails.record(mails.map((mail) => ({ mail, lease: token }))));
}

function sent(mail: Mail): Mail {
  const ended = { state: 'sent', attempts: mail.attempts + 1, due_at_ms: null, error: null } as const;
  return { ...mail, ...ended, first_attempt_at_ms: now_ms, finished_at_ms: now_ms };
}

function failed(mail: Mail): Mail {
  return { ...sent(mail), state: 'failed', error: 'refused 550' };
}

export const mail_store_contract: readonly ContractRule<MailStorage>[] = [
  rule('each recipient gets a mail that is due immediately; without recipients there is none', async (here) => {
    const there = await anotherOf(here);
    const company_id = await newCompany(here);
    const mails = await queueMails(here, company_id, recipients);
    assertEqual(
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
        queued_by: 'key:1',
        finished_at_ms: null,
        error: null,
      })),
      'the mails',
    );
    assertEqual(await find(there, mails[0]!.id), mails[0], 'one of them');
    assertEqual(await find(here, 999_999_999), null, 'an unknown mail');
    const before = await here.unitOfWork.read((tx) => tx.mails.backlog());
    await queueMails(here, company_id, []);
    assertEqual(await here.unitOfWork.read((tx) => tx.mails.backlog()), before, 'the backlog');
  }),
  rule('mails of a transaction that rolls back are never sent', async (here) => {
    const company_id = await newCompany(here);
    const rolled_back = here.unitOfWork.run(async ({ mails }) => {
      await mails.queue({
        company_id,
        card_id: 1,
        kind: 'card_details',
        recipients,
        created_at_ms: now_ms,
        queued_by: 'key:1',
      });
      throw new Refusal('validation_failed', 'changed my mind');
    });
    await refusalOf(rolled_back, 'the transaction');
    const page = await here.unitOfWork.read((tx) => tx.mails.list({ company_id }, { limit: 9 }));
    assertEqual(page, { items: [], next: null }, 'the mails');
  }),
  rule('mails are listed newest first, by company and state, on pages that omit none', async (here) => {
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
      assertEqual(ids, mails.map(({ id }) => id).toReversed(), 'of one company');
      assertEqual(second.next, null, 'the cursor of the last page');
      const pending = await store.list({ company_id: own, state: 'pending' }, { limit: 9 });
      assertEqual(pending.items, [mails[2], mails[0]], 'pending');
      const done = await store.list({ company_id: own, state: 'sent' }, { limit: 9 });
      assertEqual(done.items, [sent(mails[1]!)], 'sent');
      assertEqual((await store.list({}, { limit: 1 })).items, foreign, 'of all companies');
      const of_card = await store.list({ company_id: own, card_id: 1 }, { limit: 9 });
      assertEqual(of_card.items.length, mails.length, 'of a card');
      assertEqual((await store.list({ card_id: 999_999_999 }, { limit: 9 })).items, [], 'of another card');
    });
  }),
  rule(
    'a claim leases due mails, those of a company oldest due first, at most the limit, with its setting',
    async (here) => {
      await endDueMails(here);
      const [plain, detailed] = [await newCompany(here), await newCompany(here, { full_details_in_mail: true })];
      const [later] = await queueMails(here, plain, ['later@example.com'], now_ms + 2);
      const [second] = await queueMails(here, plain, ['second@example.com'], now_ms);
      const [first] = await queueMails(here, plain, ['first@example.com'], now_ms - 1);
      const [other] = await queueMails(here, detailed, ['other@example.com'], now_ms - 2);
      assertEqual(await claim(here, { turns: { limit: 1 } }), [{ mail: first, full_details: false }], 'one');
      const rest = [
        { mail: second, full_details: false },
        { mail: other, full_details: true },
      ];
      assertEqual(await claim(here), rest, 'the rest');
      assertEqual(await claim(here, { at_ms: now_ms + 1 }), [], 'none is due');
      assertEqual(await claim(here, { at_ms: now_ms + 2 }), [{ mail: later, full_details: false }], 'when it is due');
    },
  ),
  rule(
    'companies take turns in the order of their ids, beginning after the company of the last claim',
    async (here) => {
      await endDueMails(here);
      const companies: number[] = [];
      for (let count = 0; count < 5; count += 1) companies.push(await newCompany(here));
      // The oldest backlog is the longest one, and one company has nothing due.
      for (const [place, company_id] of companies.entries()) {
        const addresses = Array.from({ length: place === 0 ? 30 : 3 }, (_, at) => `to-${at}@example.com`);
        await queueMails(here, company_id, addresses, now_ms - 100 + place + (place === 2 ? 1_000 : 0));
      }
      const turns: (readonly number[])[] = [];
      let after_company_id = companies[3]!;
      for (let turn = 0; turn < 4; turn += 1) {
        const claimed = await claim(here, {
          of: { ...lease, token: `turn ${turn}` },
          turns: { limit: 2, per_company_max: 3, after_company_id },
        });
        turns.push(claimed.map(({ mail }) => companies.indexOf(mail.company_id)));
        after_company_id = claimed.at(-1)!.mail.company_id;
      }
      assertEqual(
        turns,
        [
          [4, 4],
          [0, 0],
          [1, 1],
          [3, 3],
        ],
        'the companies whose mails were claimed',
      );
      const rest = await claim(here, { of: other_lease, turns: { per_company_max: 3, after_company_id } });
      const companies_of_rest = rest.map(({ mail }) => companies.indexOf(mail.company_id));
      assertEqual(companies_of_rest, [4, 0, 1, 3], 'the companies of the rest of each lane');
    },
  ),
  rule('a company has no more mails leased than its lane allows, and an ended lease makes room', async (here) => {
    const there = await anotherOf(here);
    await endDueMails(here);
    const [slow, other] = [await newCompany(here), await newCompany(here)];
    const addresses = Array.from({ length: 60 }, (_, at) => `slow-${at}@example.com`);
    const mails = await queueMails(here, slow, addresses);
    const turns = { limit: 8, per_company_max: 2 };
    const first = await claim(here, { turns });
    assertEqual(
      first.map(({ mail }) => mail),
      mails.slice(0, 2),
      'the first of the backlog',
    );
    const [prompt] = await queueMails(here, other, ['prompt@example.com'], now_ms + 1);
    const at_ms = now_ms + 1;
    const second = await claim(there, { at_ms, of: other_lease, turns });
    assertEqual(second, [{ mail: prompt, full_details: false }], 'the mail of the other company');
    await record(here, [sent(mails[1]!)]);
    const third = await claim(there, { at_ms, of: other_lease, turns });
    assertEqual(third, [{ mail: mails[2], full_details: false }], 'the next of the backlog');
  }),
  rule('a leased mail is claimed again only after the lease has expired in machine time', async (here) => {
    await endDueMails(here);
    const [mail] = await queueMails(here, await newCompany(here), recipients.slice(0, 1));
    await claim(here);
    const at_ms = now_ms + 1_000 * minute_ms;
    const before = { ...other_lease, machine_ms: lease.until_machine_ms - 1 };
    assertEqual(await claim(here, { at_ms, of: before }), [], 'a millisecond before');
    const after = { token: 'two', machine_ms: lease.until_machine_ms, until_machine_ms: lease.until_machine_ms + 9 };
    assertEqual((await claim(here, { at_ms, of: after })).length, 1, 'after it has expired');
    await record(here, [sent(mail!)], lease.token);
    assertEqual(await find(here, mail!.id), mail, 'recorded with the lost lease');
    await record(here, [sent(mail!)], after.token);
    assertEqual(await find(here, mail!.id), sent(mail!), 'recorded with the new one');
  }),
  rule('racing processes claim each mail once', async (here) => {
    const there = await anotherOf(here);
    await endDueMails(here);
    const addresses = Array.from({ length: 20 }, (_, place) => `to-${place}@example.com`);
    const mails = await queueMails(here, await newCompany(here), addresses);
    const claims = Array.from({ length: 8 }, (_, place) =>
      claim(place % 2 === 0 ? here : there, { turns: { limit: 5 }, of: { ...lease, token: `process ${place}` } }),
    );
    const claimed = (await Promise.all(claims)).flat();
    const rest = await claim(here, { of: other_lease });
    const ids = [...claimed, ...rest].map(({ mail }) => mail.id).toSorted((a, b) => a - b);
    assertEqual(
      ids,
      mails.map(({ id }) => id),
      'the claimed mails',
    );
  }),
  rule('a record ends the lease: a mail with attempts left is claimed again when it is due', async (here) => {
    await endDueMails(here);
    const [mail] = await queueMails(here, await newCompany(here), recipients.slice(0, 1));
    await claim(here);
    const due_at_ms = now_ms + minute_ms;
    const tried: Mail = { ...mail!, attempts: 1, first_attempt_at_ms: now_ms, due_at_ms, error: 'refused 451' };
    await record(here, [tried]);
    assertEqual(await find(here, mail!.id), tried, 'the mail');
    assertEqual(await claim(here, { at_ms: due_at_ms - 1, of: other_lease }), [], 'before it is due');
    const again = await claim(here, { at_ms: due_at_ms, of: other_lease });
    assertEqual(again, [{ mail: tried, full_details: false }], 'when it is due');
    await record(here, []);
  }),
  rule('a restart makes a failed mail due again, and does not change a pending one', async (here) => {
    await endDueMails(here);
    const [mail, pending] = await queueMails(here, await newCompany(here), recipients.slice(0, 2));
    await claim(here);
    await record(here, [failed(mail!)]);
    const restart = (restarted_mail: Mail) =>
      here.unitOfWork.run(async ({ mails }) => {
        await mails.find(restarted_mail.id, { for_update: true });
        await mails.restart(restarted_mail);
      });
    const restarted: Mail = { ...mail!, due_at_ms: now_ms + 5 };
    await restart(restarted);
    assertEqual(await find(here, mail!.id), restarted, 'the mail');
    await restart({ ...pending!, due_at_ms: now_ms + 5 });
    assertEqual(await find(here, pending!.id), pending, 'the pending one');
    const claimed = await claim(here, { at_ms: now_ms + 5, of: other_lease });
    assertEqual(
      claimed.map((one) => one.mail),
      [restarted],
      'claimed again',
    );
  }),
  rule('the backlog counts pending mails, leased or not, and finds the first that is due', async (here) => {
    await endDueMails(here);
    const backlog = () => here.unitOfWork.read((tx) => tx.mails.backlog());
    assertEqual(await backlog(), { pending: 0, oldest_due_at_ms: null }, 'without mails');
    const company_id = await newCompany(here);
    const [first] = await queueMails(here, company_id, ['first@example.com'], now_ms);
    await queueMails(here, company_id, ['second@example.com'], now_ms + 7);
    assertEqual(await backlog(), { pending: 2, oldest_due_at_ms: now_ms }, 'with two');
    await claim(here);
    assertEqual(await backlog(), { pending: 2, oldest_due_at_ms: now_ms }, 'with one leased');
    await record(here, [sent(first!)]);
    assertEqual(await backlog(), { pending: 1, oldest_due_at_ms: now_ms + 7 }, 'with one sent');
  }),
];
