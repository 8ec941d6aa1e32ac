import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { type Mailed, mailed, newest } from './mailed-card.ts';
import { type Reply, startService } from './service.ts';

const visit = ({ service }: Mailed, method: string, path: string): Promise<Reply> =>
  service.send(method, path, { key: null });

const grouped = (number: string): string => number.replace(/(\d{4})(?=\d)/g, '$1 ');

describe('the page behind a mailed link', () => {
  it('shows number, expiry and code only to the first person who presses the button', async (t) => {
    const mail = await mailed(t);
    const asked = await visit(mail, 'GET', mail.path);
    assert.equal(asked.status, 200);
    assert.match(asked.text, /<form method="post">/);
    assert.ok(!asked.text.includes(grouped(mail.card_number)));
    const shown = await visit(mail, 'POST', mail.path);
    assert.equal(shown.status, 200);
    assert.ok(shown.text.includes(`<code>${grouped(mail.card_number)}</code>`));
    assert.ok(shown.text.includes(`<code>${mail.cvc}</code>`));
    assert.ok(shown.text.includes('<code>2032-03</code>'));
    const { json } = await mail.service.send('GET', '/operator/v1/audit', { key: 'operator' });
    const { actor, action, source_address } = json.data[0];
    assert.deepEqual([actor, action, source_address], ['one_time_link:1', 'card_number.shown', '127.0.0.1']);
    for (const method of ['GET', 'POST']) {
      const after = await visit(mail, method, mail.path);
      assert.equal(after.status, 410);
      assert.ok(!after.text.includes('<code>'));
    }
  });

  it('is not used by programs that fetch it', async (t) => {
    const mail = await mailed(t);
    for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS', 'PUT']) await visit(mail, method, mail.path);
    const head = await visit(mail, 'HEAD', mail.path);
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal((await visit(mail, 'POST', mail.path)).status, 200);
  });

  it('closes after 24 hours', async (t) => {
    const mail = await mailed(t);
    mail.service.setClock('2030-03-16T09:59:59.999Z');
    assert.equal((await visit(mail, 'GET', mail.path)).status, 200);
    mail.service.setClock('2030-03-16T10:00:00Z');
    assert.equal((await visit(mail, 'GET', mail.path)).status, 410);
    assert.equal((await visit(mail, 'POST', mail.path)).status, 410);
  });

  it('closes when the card is canceled', async (t) => {
    const mail = await mailed(t);
    await mail.service.send('DELETE', '/v1/virtualcards/1');
    assert.equal((await visit(mail, 'GET', mail.path)).status, 410);
    assert.equal((await visit(mail, 'POST', mail.path)).status, 410);
  });

  it('has the same text for unknown, malformed and used links', async (t) => {
    const mail = await mailed(t);
    await visit(mail, 'POST', mail.path);
    const used = await visit(mail, 'GET', mail.path);
    for (const token of ['A'.repeat(43), 'short', '%zz', `${mail.token}A`, "'%20or%201=1", '%00']) {
      const answer = await visit(mail, 'GET', `/card-details/${token}`);
      assert.deepEqual([answer.status, answer.text], [410, used.text], token);
    }
  });

  it('is not cached, cannot be framed, runs no script and does not redirect', async (t) => {
    const mail = await mailed(t);
    for (const reply of [
      await visit(mail, 'GET', mail.path),
      await visit(mail, 'POST', mail.path),
      await visit(mail, 'GET', mail.path),
    ]) {
      assert.match(reply.headers.get('Cache-Control') ?? '', /no-store/);
      assert.equal(reply.headers.get('Referrer-Policy'), 'no-referrer');
      assert.match(reply.headers.get('X-Robots-Tag') ?? '', /noindex/);
      assert.equal(reply.headers.get('X-Content-Type-Options'), 'nosniff');
      assert.match(reply.headers.get('Content-Type') ?? '', /^text\/html/);
      const policy = reply.headers.get('Content-Security-Policy') ?? '';
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /script|unsafe|http/);
      assert.doesNotMatch(reply.text, /<script|https?:|\bon\w+=/);
    }
  });

  it('leaves neither the link nor the number in a log, a metric, an error or a table', async (t) => {
    const mail = await mailed(t);
    for (const method of ['GET', 'POST', 'POST', 'PUT']) {
      const headers = { 'X-Request-Id': 'visit-1' };
      const reply = await mail.service.send(method, mail.path, { key: null, headers });
      assert.ok(!reply.text.includes(mail.token));
    }
    const metrics = (await mail.service.send('GET', '/metrics', { key: null })).text;
    assert.match(metrics, /route="\/card-details\/:token"/);
    const hex = Buffer.from(mail.card_number).toString('hex');
    for (const text of [metrics, mail.service.log(), mail.service.stored()]) {
      assert.ok(!text.includes(mail.token));
      assert.ok(!text.includes(Buffer.from(mail.token).toString('hex')));
      assert.ok(!text.includes(Buffer.from(mail.token, 'base64url').toString('hex')));
      assert.ok(!text.includes(mail.card_number));
      assert.ok(!text.includes(hex));
      assert.ok(!text.includes(Buffer.from('A virtual card was issued').toString('hex')), 'the mailbox is sealed');
    }
    assert.match(mail.service.stored(), /"actor":"one_time_link:1","action":"card_number.shown"/);
  });

  for (const database_name of database_names) {
    it(`opens once for many concurrent requests, on ${database_name}`, async (t) => {
      const mail = await mailed(t, database_name);
      // A visit that waits too long for its turn opens nothing: on a busy machine it is sent again.
      const open = async (): Promise<Reply> => {
        const reply = await visit(mail, 'POST', mail.path);
        return reply.status === 503 ? await open() : reply;
      };
      const replies = await Promise.all(Array.from({ length: 20 }, open));
      const statuses = replies.map(({ status }) => status).toSorted();
      assert.deepEqual(statuses, [200, ...Array(19).fill(410)]);
      const seen = replies.filter(({ text }) => text.includes(grouped(mail.card_number)));
      assert.equal(seen.length, 1);
    });
  }
});

describe('the mailbox', () => {
  it('shows each mail only to the operator, newest first, page by page', async (t) => {
    const mail = await mailed(t);
    const { send } = mail.service;
    const body = { data: { email: 'bob@example.com' } };
    assert.equal((await send('POST', '/v1/virtualcards/1/email', { body })).status, 200);
    await mail.sendMails();
    const first = (await send('GET', '/sandbox/v1/mailbox?page[limit]=1', { key: 'operator' })).json;
    assert.equal(first.data.length, 1);
    assert.equal(first.data[0].to, 'bob@example.com');
    assert.equal(first.data[0].received_at, '2030-03-15T10:00:00.000Z');
    const next = (await send('GET', first.links.next, { key: 'operator' })).json;
    assert.deepEqual(
      next.data.map(({ to }: { to: string }) => to),
      ['ann@example.com'],
    );
    for (const path of ['/sandbox/v1/mailbox', '/sandbox/v1/mailbox/1']) {
      for (const key of ['client', 'network', 'bank']) assert.equal((await send('GET', path, { key })).status, 403);
      assert.equal((await send('GET', path, { key: null })).status, 401);
    }
    assert.equal((await send('GET', '/sandbox/v1/mailbox/99', { key: 'operator' })).status, 404);
  });

  it('exists only in the sandbox', async (t) => {
    const { send } = await startService(t, 'sqlite', (ports) => ({ ...ports, sandbox: null }));
    assert.equal((await send('GET', '/sandbox/v1/mailbox', { key: null })).status, 404);
  });

  it('contains the mails: limits and validity, and four digits of the number', async (t) => {
    const mail = await mailed(t);
    const message = await newest(mail.service);
    const last4 = mail.card_number.slice(-4);
    assert.equal(message.to, 'ann@example.com');
    assert.equal(message.subject, `Your virtual card ending in ${last4} (Main)`);
    for (const text of [message.text, message.html]) {
      assert.match(text, /USD 1,234\.56/);
      assert.match(text, /2030-03-15 to 2032-03-31/);
      assert.match(text, /2030-03-16 10:00 UTC/);
      assert.ok(!text.includes(mail.card_number) && !text.includes(grouped(mail.card_number)));
    }
  });

  it('contains number and code only for a company that has them in its mails', async (t) => {
    const mail = await mailed(t);
    const { send } = mail.service;
    const change = { key: 'operator', body: { data: { full_details_in_mail: true } } };
    const company = await send('PATCH', '/operator/v1/companies/1', change);
    assert.equal(company.json.data.full_details_in_mail, true);
    await send('POST', '/v1/virtualcards/1/email', { body: { data: { email: 'bob@example.com' } } });
    await mail.sendMails();
    const message = await newest(mail.service);
    assert.ok(message.text.includes(grouped(mail.card_number)));
    assert.ok(message.html.includes(mail.cvc));
    assert.match(mail.service.stored(), /"actor":"mail:2"/, 'the audit log shows it');
    assert.ok(!mail.service.stored().includes(mail.card_number));
    const off = { key: 'operator', body: { data: { full_details_in_mail: false } } };
    assert.equal((await send('PATCH', '/operator/v1/companies/1', off)).json.data.full_details_in_mail, false);
    assert.equal((await send('PATCH', '/operator/v1/companies/9', off)).status, 404);
  });
});
