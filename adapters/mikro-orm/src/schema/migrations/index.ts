import { Migration } from '@mikro-orm/migrations';
import { type Dialect, dialectOf } from '../dialect.ts';
import { companiesAndCards } from './0001-companies-and-cards.ts';
import { networkAndEvents } from './0002-network-and-events.ts';
import { webhooks } from './0003-webhooks.ts';
import { installation } from './0004-installation.ts';
import { mail } from './0005-mail.ts';
import { deliveryRounds } from './0006-delivery-rounds.ts';
import { claimsOnMachineTime } from './0007-claims-on-machine-time.ts';
import { mailsPage } from './0008-mails-page.ts';
import { cardWindows } from './0009-card-windows.ts';
import { holdLifetimes } from './0010-hold-lifetimes.ts';
import { quarantine } from './0011-quarantine.ts';
import { authorizationKeys } from './0012-authorization-keys.ts';
import { eventIndex } from './0013-event-index.ts';
import { outboxPositions } from './0014-outbox-positions.ts';
import type { Look } from './start-backfill.ts';

/** Every migration, in order. One that was released is never changed again: what comes after it is a new one. */
export const migrations = [
  { name: '0001-companies-and-cards', class: migration(companiesAndCards) },
  { name: '0002-network-and-events', class: migration(networkAndEvents) },
  { name: '0003-webhooks', class: migration(webhooks) },
  { name: '0004-installation', class: migration(installation) },
  { name: '0005-mail', class: migration(mail) },
  { name: '0006-delivery-rounds', class: migration(deliveryRounds) },
  { name: '0007-claims-on-machine-time', class: migration(claimsOnMachineTime) },
  { name: '0008-mails-page', class: migration(mailsPage) },
  { name: '0009-card-windows', class: migration(cardWindows) },
  { name: '0010-hold-lifetimes', class: migration(holdLifetimes) },
  { name: '0011-quarantine', class: migration(quarantine) },
  { name: '0012-authorization-keys', class: migration(authorizationKeys) },
  { name: '0013-event-index', class: migration(eventIndex) },
  { name: '0014-outbox-positions', class: migration(outboxPositions) },
];

function migration(
  statements: (dialect: Dialect, look: Look) => readonly string[] | Promise<readonly string[]>,
): new (
  ...arguments_: ConstructorParameters<typeof Migration>
) => Migration {
  return class extends Migration {
    override async up(): Promise<void> {
      const largest = async (table: string, column: string): Promise<number> => {
        const [row] = await this.execute(`select coalesce(max(${column}), 0) as largest from ${table}`);
        return Number(row?.largest ?? 0);
      };
      for (const statement of await statements(dialectOf(this.driver.getPlatform()), { largest })) {
        this.addSql(statement);
      }
    }
  };
}
