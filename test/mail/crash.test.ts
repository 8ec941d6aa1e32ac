import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  changeRows,
  database_names,
  migratedDatabase,
  type ReceivedMail,
  readRows,
  type ServerProcess,
  send,
  smtpReceiver,
  startServer,
} from '@tallystick/test-support';

for (const name of database_names) {
  describe(`a server killed after mails were accepted and before this was recorded, on ${name}`, () => {
    it('loses none: the next server sends each again, except a mail whose link was used', async (t) => {
      // The mail server has the messages of the company's lane, and answers none of them.
      let holding = true;
      const mail_server = await smtpReceiver({ holdsAnswer: () => holding });
      t.after(() => mail_server.close());
      const database = await migratedDatabase(name);
      t.after(() => database.dispose());
      const env = { SMTP_URL: `smtp://127.0.0.1:${mail_server.port}`, MAIL_FROM: 'cards@example.com' };
      const running = async (): Promise<ServerProcess> => {
        const server = await startServer({ database_url: database.database_url, env });
        t.after(() => server.kill());
        return server;
      };
      const states = async () =>
        (
          await readRows<{ shown: string }>(
            database,
            `select recipient || ' ' || state as shown from tallystick_mails order by id`,
          )
        ).map(({ shown }) => shown);

      const first = await running();
      const emails = ['ann@example.com', 'bob@example.com', 'eve@example.com'];
      const body = { data: { total_card_amount: 5000, emails } };
      assert.equal((await send(first.url, 'POST', '/v1/virtualcards', { body })).status, 200);
      await mail_server.arrived(2);
      assert.deepEqual(await first.kill(), { code: null, signal: 'SIGKILL' });
      assert.deepEqual(
        await states(),
        emails.map((email) => `${email} pending`),
      );

      holding = false;
      const second = await running();
      await runDueWork(second, 'PT1H');
      assert.equal(mail_server.received.length, 2, 'the leases fill the lane, and the sandbox clock does not end them');
      assert.equal(await useLink(second, mailTo('ann@example.com', 0)), 200);

      await changeRows(database, 'update tallystick_mails set lease_until_machine_ms = 0');
      await runDueWork(second, 'PT0S');
      const sent_to = mail_server.received.map(({ to }) => to.join()).toSorted();
      assert.deepEqual(sent_to, [emails[0], emails[1], emails[1], emails[2]]);
      assert.deepEqual(
        await states(),
        emails.map((email) => `${email} sent`),
      );
      const replaced = mailTo('bob@example.com', 0);
      assert.equal(await useLink(second, replaced), 410, 'the link of the first message no longer works');
      assert.equal(await useLink(second, mailTo('bob@example.com', 1)), 200);
      assert.equal(await useLink(second, mailTo('eve@example.com', 0)), 200);

      function mailTo(email: string, nth: number): ReceivedMail {
        const mail = mail_server.received.filter(({ to }) => to[0] === email)[nth];
        assert.ok(mail !== undefined, `${email} has no mail ${nth}`);
        return mail;
      }
    });
  });
}

/** Moves the clock. All due work is done when the move is answered. */
async function runDueWork({ url }: ServerProcess, advance: string): Promise<void> {
  const moved = await send(url, 'POST', '/sandbox/v1/clock', { key: 'operator', body: { data: { advance } } });
  assert.equal(moved.status, 200, moved.text);
}

/**
 * The link of the mail points to the server that sent it. Another server on the same database
 * accepts it as well.
 */
async function useLink({ url }: ServerProcess, { text }: ReceivedMail): Promise<number> {
  const [, path] = /(\/card-details\/\S+)/.exec(text) ?? [];
  assert.ok(path !== undefined, text);
  return (await fetch(url + path, { method: 'POST' })).status;
}
