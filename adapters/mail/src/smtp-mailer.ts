import { rootCertificates } from 'node:tls';
import { isEmail, type Mailer, type MailOutcome, mailer_ms_max, mails_in_flight_max } from '@tallystick/cards';
import { abortAfter, machine_timers, type Timers } from '@tallystick/kernel';
import { createTransport, type NodemailerError } from 'nodemailer';
import type { Sender, SmtpServer } from './smtp-server.ts';

/** After this time without data from the server the attempt ends, milliseconds. */
const silence_ms_max = 8_000;

export interface SmtpMailerOptions {
  readonly server: SmtpServer;
  readonly from: Sender;
  /** Certificate authorities in addition to the usual ones, PEM. */
  readonly extra_authorities?: readonly string[];
  /** The total time for one message, milliseconds. The default and maximum is `mailer_ms_max`. */
  readonly message_ms?: number;
  /** Those of the machine when absent. */
  readonly timers?: Timers;
}

/** Sends messages to an SMTP server, over a pool of connections. */
export function smtpMailer({
  server,
  from,
  extra_authorities,
  message_ms,
  timers = machine_timers,
}: SmtpMailerOptions): Mailer {
  const time_ms = Math.min(message_ms ?? mailer_ms_max, mailer_ms_max);
  const transport = createTransport({
    pool: true,
    // A message that waited for a connection would use up its own time.
    maxConnections: mails_in_flight_max,
    // The domain owns the schedule, so the library must not retry.
    maxRequeues: 0,
    host: server.host,
    port: server.port,
    secure: server.tls === 'from_start',
    requireTLS: server.tls === 'required',
    opportunisticTLS: server.tls === 'if_offered',
    ...(server.user === null ? {} : { auth: { user: server.user, pass: server.password?.() ?? '' } }),
    tls: {
      minVersion: 'TLSv1.2',
      // If a message may be sent without TLS, TLS with any certificate is better than none.
      rejectUnauthorized: server.tls !== 'if_offered',
      ...(extra_authorities === undefined ? {} : { ca: [...rootCertificates, ...extra_authorities] }),
    },
    dnsTimeout: silence_ms_max,
    connectionTimeout: silence_ms_max,
    greetingTimeout: silence_ms_max,
    socketTimeout: silence_ms_max,
    logger: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    async send({ to, subject, text, html }): Promise<MailOutcome> {
      // The library accepts a list of addresses in this place, so the value must be a single
      // address.
      if (!isEmail(to)) return { kind: 'not_taken', error: 'no address', for_good: true };
      try {
        await transport.sendMail({
          from: { name: from.name, address: from.address },
          to: { name: '', address: to },
          envelope: { from: from.address, to: [to] },
          subject: subject.replace(/\p{Cc}+/gu, ' '),
          text,
          html,
          xMailer: false,
          // Prevents automatic replies.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
          signal: abortAfter(timers, time_ms),
        });
        return { kind: 'taken' };
      } catch (error) {
        return { kind: 'not_taken', ...explain(error) };
      }
    },

    async close() {
      transport.close();
    },
  };
}

/** Names the error. Never quotes the server, which may repeat the message. */
function explain(error: unknown): { readonly error: string; readonly for_good: boolean } {
  const { code = '', originalCode = code, responseCode, command } = error as NodemailerError;
  const reply = responseCode === undefined ? '' : ` ${responseCode}`;
  if (/^E(ABORT|TIMEDOUT)$/.test(code)) return { error: 'timeout', for_good: false };
  if (/^E(AUTH|NOAUTH)$/.test(code)) return { error: `login refused${reply}`, for_good: false };
  if (code === 'ETLS' || /^ERR_TLS|^ERR_SSL|CERT|^UNABLE_TO_/.test(originalCode)) {
    return { error: 'tls failed', for_good: false };
  }
  if (responseCode === undefined) return { error: 'connection failed', for_good: false };
  // These codes in answer to RCPT TO concern the address. Others may concern this server, and the
  // schedule continues.
  const for_good = command === 'RCPT TO' && [550, 551, 553].includes(responseCode);
  return { error: `refused${reply}`, for_good };
}
