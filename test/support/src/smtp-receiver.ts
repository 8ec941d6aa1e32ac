import type { AddressInfo } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { loopbackCertificate } from './tls-receiver.ts';

/** A message as the server received it. */
export interface ReceivedMail {
  /** MAIL FROM and RCPT TO. */
  readonly from: string;
  readonly to: readonly string[];
  /** Header lines, unfolded, and the body, as sent. */
  readonly headers: readonly string[];
  readonly raw: string;
  /** The decoded parts. */
  readonly text: string;
  readonly html: string;
  readonly secure: boolean;
}

/** A real SMTP server on loopback. */
export interface SmtpReceiver {
  readonly port: number;
  /** PEM; the authority of the server's certificate. */
  readonly authority: string;
  readonly received: readonly ReceivedMail[];
  /** Resolves when this number of messages has been received in total. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface SmtpReceiverOptions extends SMTPServerOptions {
  /**
   * Returns whether the answer to this received message is withheld forever, or a promise that ends
   * the delay.
   */
  readonly holdsAnswer?: (mail: ReceivedMail) => boolean | Promise<void>;
}

/** Starts a receiver. By default it offers STARTTLS, requires no login, and accepts everything. */
export async function smtpReceiver({
  holdsAnswer = () => false,
  ...options
}: SmtpReceiverOptions = {}): Promise<SmtpReceiver> {
  const { SMTPServer } = await import('smtp-server');
  const { key, cert } = await loopbackCertificate();
  const received: ReceivedMail[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = new SMTPServer({
    key,
    cert,
    authOptional: true,
    logger: false,
    closeTimeout: 100,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const raw = Buffer.concat(chunks).toString('utf8');
        const head = raw.slice(0, raw.indexOf('\r\n\r\n'));
        const mail: ReceivedMail = {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          headers: head.replace(/\r\n[ \t]+/g, ' ').split('\r\n'),
          raw,
          text: part(raw, 'text/plain'),
          html: part(raw, 'text/html'),
          secure: session.secure,
        };
        received.push(mail);
        const held = holdsAnswer(mail);
        if (held instanceof Promise) void held.then(() => done());
        else if (!held) done();
        for (const { resolve } of waiting.filter(({ count }) => received.length >= count)) resolve();
      });
    },
    ...options,
  });
  // A client that disconnects in the middle does so on purpose.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    authority: cert,
    received,
    arrived: (count) =>
      received.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Returns the decoded part of the type; empty if there is none. */
function part(raw: string, type: string): string {
  const found = new RegExp(`Content-Type: ${type}[^\r]*((?:\r\n[^\r]+)*)\r\n\r\n([\\s\\S]*?)\r\n--`, 'i').exec(raw);
  const [, head = '', body = ''] = found ?? [];
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8');
  if (!/quoted-printable/i.test(head)) return body.replaceAll('\r\n', '\n');
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
}
