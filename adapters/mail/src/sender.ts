import { isEmail } from '@tallystick/cards';
import { invalid } from '@tallystick/kernel';

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
