import { afterEach, test } from 'node:test';
import type { MailMessage } from '@tallystick/cards';
import { casesOf, type MailerWithReceiver, type MailReception, mailer_contract } from '@tallystick/harness';
import { parseSmtpServer, smtpMailer } from '@tallystick/mail';
import { type ReceivedMail, smtpReceiver } from '@tallystick/test-support';

function messageOf({ headers, html, text, to }: ReceivedMail): MailMessage {
  const subject = headers.find((line) => line.startsWith('Subject: '))?.slice('Subject: '.length) ?? '';
  return { to: to.join(), subject, text, html };
}

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** A mailer to an SMTP server on loopback that answers as the rules say. */
async function mailerWithReceiver(): Promise<MailerWithReceiver> {
  let reception: MailReception = 'takes';
  const released = Promise.withResolvers<void>();
  const codes: Partial<Record<MailReception, number>> = { refuses_address: 550, refuses_for_now: 451 };
  const server = await smtpReceiver({
    holdsAnswer: () => (reception === 'holds' ? released.promise : false),
    onRcptTo(_address, _session, done) {
      const responseCode = codes[reception];
      const text = 'no https://cards.example/card-details/abc';
      done(responseCode === undefined ? null : Object.assign(new Error(text), { responseCode }));
    },
  });
  const options = {
    server: parseSmtpServer(`smtp://127.0.0.1:${server.port}`),
    from: { name: 'Cards', address: 'cards@example.com' },
  };
  const mailer = smtpMailer(options);
  const impatient_mailer = smtpMailer({ ...options, message_ms: 200 });
  closings.push(async () => {
    released.resolve();
    await mailer.close();
    await impatient_mailer.close();
    await server.close();
  });
  return {
    mailer,
    impatient_mailer,
    async receives(next) {
      reception = next;
      if (next === 'is_away') await server.close();
    },
    received: () => server.received.map(messageOf),
    arrived: server.arrived,
    release: released.resolve,
  };
}

for (const { name, run } of casesOf(mailer_contract, mailerWithReceiver)) test(`SMTP mailer: ${name}`, run);
