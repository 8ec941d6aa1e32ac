import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { type MailMessage, mailer_ms_max } from '@tallystick/cards';
import { Refusal } from '@tallystick/kernel';
import { parseSender, parseSmtpServer, smtpMailer } from '@tallystick/mail';
import { refusing_port, type SmtpReceiver, smtpReceiver } from '@tallystick/test-support';

const message: MailMessage = {
  to: 'ann@example.com',
  subject: 'Your virtual card ending in 4242 (Réception)',
  text: 'Show it:\nhttps://cards.example/card-details/abc\n',
  html: '<p>Show it: <a href="https://cards.example/card-details/abc">here</a></p>\n',
};
const from = { name: 'Cards, "the" desk', address: 'cards@example.com' };

async function receiver(t: TestContext, options?: Parameters<typeof smtpReceiver>[0]): Promise<SmtpReceiver> {
  const started = await smtpReceiver(options);
  t.after(() => started.close());
  return started;
}

function mailerTo(t: TestContext, url: string, { authority }: { authority?: string } = {}, message_ms = mailer_ms_max) {
  const extra = authority === undefined ? {} : { extra_authorities: [authority] };
  const mailer = smtpMailer({ server: parseSmtpServer(url), from, message_ms, ...extra });
  t.after(() => mailer.close());
  return mailer;
}

test('delivers text and HTML after a login, over STARTTLS and over TLS from the start', async (t) => {
  for (const secure of [false, true]) {
    const logins: unknown[] = [];
    const server = await receiver(t, {
      secure,
      authOptional: false,
      onAuth({ username, password }, _session, done) {
        logins.push([username, password]);
        done(null, { user: username });
      },
    });
    const mailer = mailerTo(t, `smtp${secure ? 's' : ''}://desk%40x:p%2Fw@127.0.0.1:${server.port}`, server);
    assert.deepEqual(await mailer.send(message), { kind: 'taken' });
    assert.deepEqual(await mailer.send(message), { kind: 'taken' });
    const [mail] = server.received;
    assert.ok(mail?.secure);
    assert.deepEqual(logins, [['desk@x', 'p/w']], 'one connection serves both');
    assert.deepEqual([mail.from, mail.to], ['cards@example.com', ['ann@example.com']]);
    assert.equal(mail.text, message.text);
    assert.equal(mail.html, message.html);
    assert.ok(mail.headers.includes('Auto-Submitted: auto-generated'));
    assert.ok(mail.headers.includes('From: "Cards, \\"the\\" desk" <cards@example.com>'), mail.headers.join('\n'));
    assert.ok(!mail.headers.some((line) => /^X-Mailer/i.test(line)));
  }
});

test('no value can add a header or a recipient', async (t) => {
  const server = await receiver(t);
  const mailer = mailerTo(t, `smtp://127.0.0.1:${server.port}`);
  const evil = 'x\r\nBcc: eve@example.com\r\n\r\nbody\u0000';
  await mailer.send({ ...message, subject: evil });
  const no_address = { kind: 'not_taken', error: 'no address', for_good: true };
  for (const to of [
    'a@example.com>, <eve@example.com',
    'a@example.com, eve@example.com',
    'a@example.com\r\nRCPT TO:<eve@example.com>',
    '',
  ]) {
    assert.deepEqual(await mailer.send({ ...message, to }), no_address, to);
  }
  for (const { headers, to } of server.received) {
    assert.ok(!headers.some((line) => /^(bcc|cc):/i.test(line)), headers.join('\n'));
    assert.deepEqual(to, ['ann@example.com']);
  }
  assert.ok(server.received.some(({ headers }) => headers.some((line) => line.startsWith('Subject: x Bcc: eve'))));
});

test('sends nothing to another host without TLS, and no password to any server without TLS', async (t) => {
  const server = await receiver(t, { disabledCommands: ['STARTTLS'] });
  const required = { ...parseSmtpServer(`smtp://127.0.0.1:${server.port}`), tls: 'required' as const };
  const mailer = smtpMailer({ server: required, from });
  t.after(() => mailer.close());
  assert.equal((await mailer.send(message)).kind, 'not_taken');
  assert.equal(server.received.length, 0);

  const loopback = mailerTo(t, `smtp://127.0.0.1:${server.port}`);
  assert.deepEqual(await loopback.send(message), { kind: 'taken' });
});

test('refuses a certificate from an unknown authority', async (t) => {
  const server = await receiver(t, { secure: true });
  const mailer = mailerTo(t, `smtps://127.0.0.1:${server.port}`);
  assert.deepEqual(await mailer.send(message), { kind: 'not_taken', error: 'tls failed', for_good: false });
});

test('reports the code of a refusal, and gives up only on an address that does not exist', async (t) => {
  let code = 0;
  const refuse = (done: (error?: Error) => void) =>
    done(Object.assign(new Error(`no ${message.text}`), { responseCode: code }));
  const at = {
    recipient: await receiver(t, { onRcptTo: (_address, _session, done) => refuse(done) }),
    sender: await receiver(t, { onMailFrom: (_address, _session, done) => refuse(done) }),
  };
  const cases = [
    ['recipient', 450, false],
    ['recipient', 550, true],
    ['recipient', 554, false],
    ['sender', 550, false],
  ] as const;
  for (const [where, response_code, for_good] of cases) {
    code = response_code;
    const mailer = mailerTo(t, `smtp://127.0.0.1:${at[where].port}`);
    assert.deepEqual(await mailer.send(message), { kind: 'not_taken', error: `refused ${code}`, for_good }, where);
  }
  const locked = await receiver(t, { onAuth: (_auth, _session, done) => done(new Error('no')) });
  const mailer = mailerTo(t, `smtp://a:b@127.0.0.1:${locked.port}`, locked);
  assert.deepEqual(await mailer.send(message), { kind: 'not_taken', error: 'login refused 535', for_good: false });
});

test('ends in time if the server is absent, hangs up or never answers', async (t) => {
  const sockets: { destroy(): void }[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as { port: number };
  assert.deepEqual(await mailerTo(t, `smtp://127.0.0.1:${port}`, {}, 200).send(message), {
    kind: 'not_taken',
    error: 'timeout',
    for_good: false,
  });
  const failed = { kind: 'not_taken', error: 'connection failed', for_good: false };
  assert.deepEqual(await mailerTo(t, `smtp://127.0.0.1:${refusing_port}`).send(message), failed);
  const rude = await receiver(t, { onConnect: (_session, done) => done(new Error('go away')) });
  assert.equal((await mailerTo(t, `smtp://127.0.0.1:${rude.port}`).send(message)).kind, 'not_taken');
});

test('accepts or refuses an SMTP URL as a whole, and never repeats it', () => {
  const read = (text: string) => {
    const { password, ...server } = parseSmtpServer(text);
    return [server.host, server.port, server.tls, server.user, password?.() ?? null];
  };
  assert.deepEqual(read('smtps://u:p@mail.example'), ['mail.example', 465, 'from_start', 'u', 'p']);
  assert.deepEqual(read('smtp://u:p%40@mail.example/'), ['mail.example', 587, 'required', 'u', 'p@']);
  assert.deepEqual(read('smtp://relay:25?starttls=optional'), ['relay', 25, 'if_offered', null, null]);
  assert.deepEqual(read('smtp://[::1]:1025'), ['::1', 1025, 'if_offered', null, null]);
  for (const text of [
    '',
    'mail.example',
    'http://u:secret@mail.example',
    'smtp://',
    'smtp://u:secret@mail.example/path',
    'smtps://u:secret@mail.example?tls.rejectUnauthorized=false',
    'smtps://mail.example?starttls=optional',
    'smtp://u:secret@mail.example?starttls=optional',
    'smtp://u@mail.example',
    'smtp://u:secret%zz@mail.example',
  ]) {
    assert.throws(
      () => parseSmtpServer(text),
      (error) => error instanceof Refusal && error.fields[0]?.path === 'SMTP_URL' && !/secret/.test(inspect(error)),
      text,
    );
  }
  assert.doesNotMatch(inspect(parseSmtpServer('smtps://u:secret@mail.example')), /secret/);
});

test('a sender is an address, with or without a name', () => {
  assert.deepEqual(parseSender('cards@example.com'), { name: '', address: 'cards@example.com' });
  assert.deepEqual(parseSender(' Card desk <cards@example.com> '), { name: 'Card desk', address: 'cards@example.com' });
  assert.deepEqual(parseSender('"Desk, cards" <cards@example.com>'), {
    name: 'Desk, cards',
    address: 'cards@example.com',
  });
  for (const text of ['', 'nobody', 'a@b', 'x <a@example.com', 'a@example.com, b@example.com', 'a\n<a@example.com>']) {
    assert.throws(() => parseSender(text), Refusal, text);
  }
});
