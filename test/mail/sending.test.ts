import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MailOutcome } from '@tallystick/cards';
import { parseSmtpServer, smtpMailer } from '@tallystick/mail';
import { memoryMailer } from '@tallystick/memory';
import { database_names, smtpReceiver } from '@tallystick/test-support';
import { postOffice } from './post-office.ts';

const minute_ms = 60_000;
const busy: MailOutcome = { kind: 'not_taken', error: 'refused 451', for_good: false };
const unknown: MailOutcome = { kind: 'not_taken', error: 'refused 550', for_good: true };

for (const database of database_names) {
  describe(`sending mails on ${database}`, () => {
    it('sends one message to each address, each with a different link', async (t) => {
      const office = await postOffice(t, database);
      const server = await smtpReceiver();
      const mailer = smtpMailer({
        server: parseSmtpServer(`smtp://127.0.0.1:${server.port}`),
        from: { name: 'Cards', address: 'cards@example.com' },
      });
      t.after(async () => {
        await mailer.close();
        await server.close();
      });
      await office.issue(['ann@example.com', 'bob@example.com'], { alias: 'Réception <b>' });
      assert.equal(await office.send(mailer), 2);
      assert.deepEqual(server.received.map(({ to }) => to.join()).toSorted(), ['ann@example.com', 'bob@example.com']);
      assert.match(server.received[0]!.html, /Réception &#60;b&#62;/);
      for (const received of server.received)
        assert.match((await office.open(received))!.card_number, /^54545454\d{8}$/);
      assert.equal(await office.send(mailer), 0);
      assert.equal(await office.pending(), 0);
    });

    it('writes amounts with the decimals of their currency', async (t) => {
      const office = await postOffice(t, database);
      const mailer = memoryMailer();
      for (const billing_currency of ['USD', 'JPY', 'KWD'])
        await office.issue(['ann@example.com'], { billing_currency });
      await office.send(mailer);
      const limits = mailer.messages.map(({ text }) => /^Limit: (.*)$/m.exec(text)?.[1]);
      assert.deepEqual(limits, ['USD 50.00', 'JPY 5,000', 'KWD 5.000']);
    });

    it('tries at exactly 0, 1, 5, 30 and 120 minutes, then gives up and keeps the mail', async (t) => {
      const office = await postOffice(t, database);
      const mailer = memoryMailer({ answer: () => busy });
      await office.issue(['ann@example.com']);
      const attempts: number[] = [];
      for (const minutes of [0, 1, 5, 30, 120, 10_000]) {
        for (const now_ms of [minutes * minute_ms - 1, minutes * minute_ms]) {
          if (now_ms < 0) continue;
          office.now_ms = now_ms;
          if ((await office.send(mailer)) > 0) attempts.push(now_ms / minute_ms);
        }
      }
      assert.deepEqual(attempts, [0, 1, 5, 30, 120]);
      const last = office.ended.at(-1)!.mail;
      assert.deepEqual([last.state, last.attempts, last.error], ['failed', 5, 'refused 451']);
      assert.equal(await office.pending(), 0);
      assert.equal(new Set(mailer.messages.map(({ text }) => text)).size, 5, 'each attempt has a different link');
      office.now_ms = 120 * minute_ms;
      for (const message of mailer.messages.slice(0, 4)) assert.equal(await office.open(message), null);
      assert.notEqual(
        await office.open(mailer.messages[4]!),
        null,
        'the newest link works, because a failed mail may have arrived',
      );
    });

    it('ends with the first success, and a late attempt does not move the next ones', async (t) => {
      const office = await postOffice(t, database);
      let answer: MailOutcome = busy;
      const mailer = memoryMailer({ answer: () => answer });
      await office.issue(['ann@example.com']);
      await office.send(mailer);
      office.now_ms = 4 * minute_ms;
      await office.send(mailer);
      office.now_ms = 5 * minute_ms;
      answer = { kind: 'taken' };
      assert.equal(await office.send(mailer), 1);
      const last = office.ended.at(-1)!.mail;
      assert.deepEqual([last.state, last.attempts, last.error], ['sent', 3, null]);
    });

    it('fails immediately for an address that does not exist, and for a card that was canceled', async (t) => {
      const office = await postOffice(t, database);
      const mailer = memoryMailer({ answer: ({ to }) => (to.startsWith('nobody') ? unknown : busy) });
      const card = await office.issue(['nobody@example.com', 'ann@example.com']);
      await office.send(mailer);
      assert.equal(await office.pending(), 1);
      await office.persistence.unitOfWork.run((tx) => tx.cards.update({ ...card, status: 'Canceled' }));
      office.now_ms = minute_ms;
      assert.equal(await office.send(mailer), 1);
      assert.deepEqual([await office.pending(), mailer.messages.length], [0, 2]);
      assert.equal(office.ended.at(-1)!.mail.error, 'the card is Canceled');
    });

    it('is sent by one of many processes', async (t) => {
      const office = await postOffice(t, database);
      const mailer = memoryMailer();
      for (let n = 0; n < 6; n += 1) await office.issue(['a', 'b', 'c', 'd', 'e'].map((to) => `${to}${n}@example.com`));
      for (let sent = 1; sent > 0; ) {
        const counts = await Promise.all(Array.from({ length: 5 }, () => office.send(mailer)));
        sent = Math.max(...counts);
      }
      assert.equal(mailer.messages.length, 30);
      assert.equal(new Set(mailer.messages.map(({ to }) => to)).size, 30);
    });

    it('is not changed by a process that lost its lease', async (t) => {
      const office = await postOffice(t, database);
      await office.issue(['ann@example.com']);
      const second = memoryMailer();
      const first = memoryMailer({ answer: () => busy });
      const slow = {
        ...first,
        async send(message: Parameters<typeof first.send>[0]) {
          office.machine_ms = 10 * minute_ms;
          assert.equal(await office.send(second), 1);
          return await first.send(message);
        },
      };
      await office.send(slow);
      assert.equal(await office.pending(), 0, 'the record of the second process remains');
    });

    it('continues after a mail whose number cannot be opened', async (t) => {
      const office = await postOffice(t, database);
      const mailer = memoryMailer();
      const card = await office.issue(['ann@example.com']);
      await office.issue(['bob@example.com']);
      await office.persistence.unitOfWork.run(async (tx) => {
        const company = (await tx.companies.find(card.company_id))!;
        await tx.companies.update({ ...company, full_details_in_mail: true });
        const number = await tx.cards.number(card.id);
        await tx.cards.reseal([{ card_id: card.id, number: { ...number, number_sealed: Buffer.alloc(40) } }]);
      });
      assert.equal(await office.send(mailer), 2);
      assert.deepEqual(
        mailer.messages.map(({ to }) => to),
        ['bob@example.com'],
      );
      const failed = office.ended.find(({ mail }) => mail.recipient === 'ann@example.com')!.mail;
      assert.deepEqual([failed.state, failed.error], ['pending', 'the number cannot be opened']);
    });

    it('keeps failed mails, and deletes sent ones and old links after their time', async (t) => {
      const office = await postOffice(t, database);
      const mailer = memoryMailer({ answer: ({ to }) => (to.startsWith('nobody') ? unknown : { kind: 'taken' }) });
      await office.issue(['ann@example.com', 'nobody@example.com']);
      await office.send(mailer);
      const far_ms = Date.UTC(2031, 0, 1);
      const dropped = await office.persistence.unitOfWork.run(async (tx) => [
        (await tx.retention.due('mails', { before_ms: far_ms, now_ms: far_ms }, 0)).rows.length,
        await tx.one_time_links.purge(far_ms, 1),
        await tx.one_time_links.purge(far_ms, 10),
      ]);
      assert.deepEqual(dropped, [1, 1, 1]);
    });
  });
}
