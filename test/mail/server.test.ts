import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import {
  type DatabaseName,
  database_names,
  migratedDatabase,
  runAdmin,
  type ServerOptions,
  type ServerProcess,
  send,
  smtpReceiver,
  startServer,
  test_keys,
} from '@tallystick/test-support';

const start = '2099-03-15T10:00:00Z';

async function database(t: TestContext, name: DatabaseName): Promise<string> {
  const made = await migratedDatabase(name);
  t.after(() => made.dispose());
  return made.database_url;
}

async function running(t: TestContext, options: ServerOptions): Promise<ServerProcess> {
  const server = await startServer(options);
  t.after(() => server.kill());
  return server;
}

async function moveClock({ url }: ServerProcess, data: object): Promise<void> {
  const { status, text } = await send(url, 'POST', '/sandbox/v1/clock', { key: 'operator', body: { data } });
  assert.equal(status, 200, text);
}

function linkIn(text: string): URL {
  const [link] = /https?:\/\/\S+\/card-details\/\S+/.exec(text) ?? [];
  assert.ok(link !== undefined, text);
  return new URL(link);
}

describe('a server with SMTP', () => {
  for (const name of database_names) {
    it(`sends mails over TLS, and retries at 0, 1, 5, 30 and 120 minutes of the moved clock, on ${name}`, async (t) => {
      let refusals = Number.POSITIVE_INFINITY;
      let calls = 0;
      const mail_server = await smtpReceiver({
        secure: true,
        onRcptTo(_address, _session, done) {
          calls += 1;
          done(calls > refusals ? null : Object.assign(new Error('later'), { responseCode: 451 }));
        },
      });
      t.after(() => mail_server.close());
      const database_url = await database(t, name);
      const folder = await mkdtemp(join(tmpdir(), 'tallystick-mail-'));
      t.after(() => rm(folder, { recursive: true }));
      const authority = join(folder, 'authority.pem');
      await writeFile(authority, mail_server.authority);
      const server = await running(t, {
        database_url,
        env: {
          SMTP_URL: `smtps://127.0.0.1:${mail_server.port}`,
          MAIL_FROM: 'Cards <cards@example.com>',
          PUBLIC_URL: 'https://cards.example/tally',
          NODE_EXTRA_CA_CERTS: authority,
          LOG_LEVEL: 'info',
        },
      });
      await moveClock(server, { set: start, frozen: true });
      const issue = async (email: string): Promise<{ card_number: string }> => {
        const body = { data: { total_card_amount: 5000, emails: [email] }, show_card_number: true };
        return (await send(server.url, 'POST', '/v1/virtualcards', { body })).json.data;
      };
      await issue('ann@example.com');
      const counts: number[] = [];
      for (const minutes of [0, 1, 5, 30, 120, 1_000]) {
        const at = Temporal.Instant.from(start).add({ minutes });
        if (minutes > 0) {
          await moveClock(server, { set: at.subtract({ milliseconds: 1 }).toString(), frozen: true });
          counts.push(calls);
        }
        await moveClock(server, { set: at.toString(), frozen: true });
        counts.push(calls);
      }
      assert.deepEqual(counts, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5]);
      assert.equal(mail_server.received.length, 0);

      refusals = 6;
      const { card_number } = await issue('bob@example.com');
      await moveClock(server, { advance: 'PT0S', frozen: true });
      await moveClock(server, { advance: 'PT1M', frozen: true });
      const [mail] = mail_server.received;
      assert.deepEqual([mail?.to, mail?.secure], [['bob@example.com'], true]);
      const link = linkIn(mail!.text);
      assert.ok(link.href.startsWith('https://cards.example/tally/card-details/'));
      const token = link.pathname.split('/').at(-1)!;
      const page = await send(server.url, 'POST', `/card-details/${token}`);
      assert.ok(page.text.includes(card_number.replace(/(\d{4})(?=\d)/g, '$1 ')));

      const metrics = (await send(server.url, 'GET', '/metrics')).text;
      assert.match(metrics, /^tallystick_mail_attempts_total\{outcome="retried"\} 5$/m);
      assert.match(metrics, /^tallystick_mail_attempts_total\{outcome="failed"\} 1$/m);
      assert.match(metrics, /^tallystick_mail_attempts_total\{outcome="sent"\} 1$/m);
      assert.match(metrics, /^tallystick_mails_pending 0$/m);
      assert.deepEqual(await server.stop(), { code: 0, signal: null });
      // Lines are written late. Once the server has exited, all of them are there.
      assert.match(server.output(), /"mail_id":1,.*"attempt":5,"state":"failed","error":"refused 451".*mail attempt/);
      for (const secret of [token, card_number, 'bob@example.com', 'ann@example.com']) {
        assert.ok(!server.output().includes(secret), secret);
        assert.ok(!metrics.includes(secret), secret);
      }
    });
  }
});

describe('a sandbox without SMTP', () => {
  it('stores mails with links to itself, even through a rotation of the keys', async (t) => {
    const database_url = await database(t, 'sqlite');
    const options = { database_url };
    const server = await running(t, options);
    const body = { data: { total_card_amount: 5000, emails: ['ann@example.com'] } };
    assert.equal((await send(server.url, 'POST', '/v1/virtualcards', { body })).json.data.notified, true);
    await moveClock(server, { advance: 'PT0S' });
    const { data } = (await send(server.url, 'GET', '/sandbox/v1/mailbox', { key: 'operator' })).json;
    assert.equal(data.length, 1);
    const message = (await send(server.url, 'GET', data[0].url, { key: 'operator' })).json.data;
    const link = linkIn(message.text);
    assert.equal(link.origin, server.url);
    assert.equal((await fetch(link)).status, 200);
    await server.stop();

    const added = await runAdmin(['keys', 'add'], options);
    const ring = String(added.TALLYSTICK_KEYS);
    const rotated = { database_url, env: { TALLYSTICK_KEYS: ring } };
    assert.equal((await runAdmin(['keys', 'rotate'], rotated)).mailbox_messages, 1);
    assert.equal((await runAdmin(['keys', 'rotate'], rotated)).mailbox_messages, 0);
    // The rest of the old ring finds card numbers, but opens nothing.
    const without_old = ring.split(',').filter((entry) => !entry.startsWith('k1:'));
    assert.ok(!without_old.join().startsWith(test_keys));
    const later = await running(t, { database_url, env: { TALLYSTICK_KEYS: without_old.join(',') } });
    const kept = (await send(later.url, 'GET', data[0].url, { key: 'operator' })).json.data;
    assert.deepEqual(kept, message);
    const shown = await fetch(`${later.url}${link.pathname}`, { method: 'POST' });
    assert.equal(shown.status, 200);
    assert.match(await shown.text(), /5454 5454/);
  });

  it('lets a company choose full details by command', async (t) => {
    const options = { database_url: await database(t, 'sqlite') };
    const made = await runAdmin(['company', 'create', '--name', 'Acme', '--customer-number', '7'], options);
    assert.equal(made.full_details_in_mail, false);
    const words = ['company', 'update', String(made.id), '--full-details-in-mail'];
    assert.equal((await runAdmin([...words, 'on'], options)).full_details_in_mail, true);
    assert.equal((await runAdmin([...words, 'off'], options)).full_details_in_mail, false);
    await assert.rejects(runAdmin([...words, 'perhaps'], options), /must be on or off/);
  });
});
