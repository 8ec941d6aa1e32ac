import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mails_in_flight_max, mails_in_flight_per_company_max } from '@tallystick/cards';
import { parseSmtpServer, smtpMailer } from '@tallystick/mail';
import { database_names, smtpReceiver } from '@tallystick/test-support';
import { postOffice } from './post-office.ts';

const slow_addresses = Array.from({ length: 60 }, (_, at) => `slow-${at}@example.com`);

for (const database of database_names) {
  describe(`mails of two companies on ${database}`, () => {
    it('are sent while the mail server holds those of the other company', async (t) => {
      const office = await postOffice(t, database);
      const held = Promise.withResolvers<void>();
      const isSlow = (to: readonly string[]) => to[0]!.startsWith('slow-');
      const server = await smtpReceiver({ holdsAnswer: ({ to }) => (isSlow(to) ? held.promise : false) });
      t.after(() => server.close());
      const mailer = smtpMailer({
        server: parseSmtpServer(`smtp://127.0.0.1:${server.port}`),
        from: { name: 'Cards', address: 'cards@example.com' },
      });
      t.after(() => mailer.close());
      for (let at = 0; at < slow_addresses.length; at += 5) await office.issue(slow_addresses.slice(at, at + 5));
      const couriers = [office.courier(mailer), office.courier(mailer)];
      for (const courier of couriers) await courier.sweep();
      await server.arrived(mails_in_flight_per_company_max);

      const other = await office.addCompany();
      const addresses = Array.from({ length: 5 }, (_, at) => `prompt-${at}@example.com`);
      await office.issue(addresses, { company_id: other });
      await couriers[0]!.sweep();
      await server.arrived(mails_in_flight_per_company_max + addresses.length);
      const arrived = server.received.map(({ to }) => to[0]!);
      assert.deepEqual(arrived.filter((to) => !isSlow([to])).toSorted(), addresses);
      assert.deepEqual(arrived.filter((to) => isSlow([to])).toSorted(), slow_addresses.slice(0, 2));

      held.resolve();
      await Promise.all(couriers.map((courier) => courier.settled()));
      for (const courier of couriers) await courier.stop();
      assert.equal(await office.pending(), 0);
      const recipients = server.received.map(({ to }) => to[0]!);
      assert.deepEqual(recipients.toSorted(), [...slow_addresses, ...addresses].toSorted(), 'each was sent once');
    });

    it('of more companies than may be in flight are all sent, in turns', async (t) => {
      const office = await postOffice(t, database);
      const companies = [];
      for (let count = 0; count < mails_in_flight_max; count += 1) companies.push(await office.addCompany());
      for (const company_id of companies) {
        await office.issue([`a${company_id}@example.com`, `b${company_id}@example.com`], { company_id });
        await office.issue([`c${company_id}@example.com`], { company_id });
      }
      let in_flight = 0;
      let in_flight_max = 0;
      const sent: string[] = [];
      const released = Promise.withResolvers<void>();
      const courier = office.courier({
        async send({ to }) {
          in_flight += 1;
          in_flight_max = Math.max(in_flight_max, in_flight);
          sent.push(to);
          await released.promise;
          in_flight -= 1;
          return { kind: 'taken' };
        },
        async close() {},
      });
      assert.equal(await courier.sweep(), mails_in_flight_max);
      assert.equal(await courier.sweep(), 0);
      released.resolve();
      await courier.settled();
      assert.deepEqual([sent.length, in_flight_max], [3 * companies.length, mails_in_flight_max]);
      const first_turns = sent.slice(0, 2 * companies.length).filter((to) => !to.startsWith('c'));
      assert.equal(first_turns.length, 2 * companies.length, 'every company had a turn before any had a second one');
      await courier.stop();
    });
  });
}
