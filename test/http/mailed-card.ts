import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createMailCourier, mailboxMailer } from '@tallystick/cards';
import { type Clock, fixedClock } from '@tallystick/kernel';
import type { DatabaseName } from '@tallystick/test-support';
import { type Service, start, startService } from './service.ts';

/** A service that has mailed a card, and the card. */
export interface Mailed {
  readonly service: Service;
  readonly card_number: string;
  readonly cvc: string;
  /** The path of the link in the newest mail. */
  readonly path: string;
  readonly token: string;
  /** Sends the due mails. */
  sendMails(now?: string): Promise<void>;
}

/** Starts a service that has mailed a card to its mailbox. */
export async function mailed(t: TestContext, database_name: DatabaseName = 'sqlite'): Promise<Mailed> {
  const service = await startService(t, database_name);
  const { persistence, vault } = service;
  const sendMails = async (now: string = start): Promise<void> => {
    const clock: Clock = fixedClock(now);
    const courier = createMailCourier({
      unitOfWork: persistence.unitOfWork,
      mailer: mailboxMailer({ unitOfWork: persistence.unitOfWork, sealer: vault.sealer, clock }),
      vault: vault.card_vault,
      random: vault.random,
      sha256: vault.sha256,
      clock,
      machine_clock: fixedClock(start),
      linkOf: (token) => `${service.url}/card-details/${token}`,
    });
    await courier.settled();
  };
  const body = { data: { total_card_amount: 123_456, emails: ['ann@example.com'] }, show_card_number: true };
  const issued = (await service.send('POST', '/v1/virtualcards', { body })).json.data;
  assert.equal(issued.notified, true);
  await sendMails();
  const message = await newest(service);
  const path = /\/card-details\/[A-Za-z0-9_-]{43}$/m.exec(message.text)?.[0];
  assert.ok(path !== undefined, message.text);
  const { card_number, cvc } = issued;
  return { service, card_number, cvc, path, token: path.split('/').at(-1)!, sendMails };
}

/** The newest mail in the mailbox. */
export async function newest({ send }: Service): Promise<{ to: string; subject: string; text: string; html: string }> {
  const { data } = (await send('GET', '/sandbox/v1/mailbox?page[limit]=1', { key: 'operator' })).json;
  return (await send('GET', data[0].url, { key: 'operator' })).json.data;
}
