import { isEmail } from '@tallystick/cards';
import { invalid, type Refusal } from '@tallystick/kernel';

/** The server that accepts mail. Prints without its password. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /**
   * `from_start`: smtps. `required`: STARTTLS, or nothing is sent. `if_offered`: STARTTLS if the
   * server offers it.
   */
  readonly tls: 'from_start' | 'required' | 'if_offered';
  readonly user: string | null;
  /** A function, so that no log and no dump of the configuration shows the password. */
  readonly password: (() => string) | null;
}

const form = 'smtps://<user>:<password>@<host>, or smtp:// for STARTTLS';

/**
 * Reads an SMTP URL. `smtps://` uses TLS from the start (port 465). `smtp://` uses STARTTLS (port
 * 587), which may be missing only on a loopback host or with `?starttls=optional`, and then never
 * with a password. Refuses (`validation_failed`, path `SMTP_URL`) anything else without repeating
 * it, because it may contain a password.
 */
export function parseSmtpServer(text: string): SmtpServer {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') throw refuse(`must be ${form}`);
  if (!/^\/?$/.test(url.pathname) || url.hash !== '') throw refuse(`must have no path: ${form}`);
  if (url.search !== '' && url.search !== '?starttls=optional') {
    throw refuse('may have one option only: ?starttls=optional, for a server inside your network that has no TLS');
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = url.protocol === 'smtps:';
  const optional = url.search !== '';
  if (secure && optional) throw refuse('starttls=optional is for smtp:// only');
  const tls = secure ? 'from_start' : optional || isLoopback(host) ? 'if_offered' : 'required';
  const user = decode(url.username);
  const password = decode(url.password);
  if ((user === '') !== (password === '')) throw refuse('must have both user and password, or neither');
  if (user !== '' && tls === 'if_offered' && !isLoopback(host)) {
    throw refuse('must not send a password where TLS is optional');
  }
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    tls,
    user: user === '' ? null : user,
    password: password === '' ? null : () => password,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse('must have user and password percent-encoded');
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function refuse(message: string): Refusal {
  return invalid({ path: 'SMTP_URL', message });
}

export interface Sender {
  /** If empty, only the address is used. */
  readonly name: string;
  readonly address: string;
}

/**
 * Reads `Name <address>` or an address. Refuses (`validation_failed`, path `MAIL_FROM`) anything
 * else.
 */
export function parseSender(text: string): Sender {
  const [, quoted, plain, bracketed] = /^\s*(?:"([^"\\]*)"|([^"<>]*?))\s*<([^<>]*)>\s*$/.exec(text) ?? [];
  const address = bracketed ?? text.trim();
  const name = quoted ?? plain ?? '';
  if (!isEmail(address) || /\p{Cc}/u.test(text)) {
    throw invalid({ path: 'MAIL_FROM', message: 'must be an address, or Name <address>' });
  }
  return { name, address };
}
