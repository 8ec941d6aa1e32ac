import {
  api_key_store_contract,
  type ContractRule,
  card_vault_contract,
  company_store_contract,
  decision_endpoint_store_contract,
  delivery_desk_contract,
  delivery_queue_contract,
  delivery_store_contract,
  idempotency_store_contract,
  type MailerWithReceiver,
  type MailReception,
  mail_store_contract,
  mailbox_store_contract,
  mailer_contract,
  one_time_link_store_contract,
  outbox_contract,
  person_store_contract,
  portal_link_store_contract,
  relayOrderContract,
  sealer_contract,
  subscription_store_contract,
  type VaultGenerations,
  webhook_states_contract,
  webhook_store_contract,
} from '@tallystick/harness';
import { fixedClock } from '@tallystick/kernel';
import { type MailAnswer, type MemoryPersistence, memoryMailer, memoryPersistence, memoryVault } from '../src/index.ts';

/** The suites of stores of webhooks, mails and access, by port. */
export const store_suites = {
  Outbox: outbox_contract,
  OutboxOrder: relayOrderContract(),
  DeliveryDesk: delivery_desk_contract,
  DeliveryStore: delivery_store_contract,
  WebhookStore: webhook_store_contract,
  WebhookStates: webhook_states_contract,
  SubscriptionStore: subscription_store_contract,
  IdempotencyStore: idempotency_store_contract,
  CompanyStore: company_store_contract,
  DecisionEndpointStore: decision_endpoint_store_contract,
  ApiKeyStore: api_key_store_contract,
  PersonStore: person_store_contract,
  PortalLinkStore: portal_link_store_contract,
  MailStore: mail_store_contract,
  OneTimeLinkStore: one_time_link_store_contract,
  MailboxStore: mailbox_store_contract,
} satisfies Record<string, readonly ContractRule<WorkStorage>[]>;

export const vault_suites = { CardVault: card_vault_contract, Sealer: sealer_contract };

export { delivery_queue_contract, mailer_contract };

/** Storage in the form that the suites need. */
export type WorkStorage = Pick<MemoryPersistence, 'unitOfWork' | 'delivery_desk' | 'event_horizon'>;

/** Opens a separate storage for each rule. */
export async function openStorage(): Promise<WorkStorage> {
  return memoryPersistence({ clock: fixedClock('2026-05-20T12:00:00Z') });
}

export async function openVaults(): Promise<VaultGenerations> {
  return { before: memoryVault(['k1']), after: memoryVault(['k2', 'k1']), newest_only: memoryVault(['k2']) };
}

/** Opens a mailer whose receiver answers as the rules require. */
export async function openMailer(): Promise<MailerWithReceiver> {
  let reception: MailReception = 'takes';
  const released = Promise.withResolvers<void>();
  const arrivals: { readonly count: number; readonly resolve: () => void }[] = [];
  const received: Parameters<MailAnswer>[0][] = [];

  const answer: MailAnswer = async (message) => {
    switch (reception) {
      case 'refuses_address':
        return { kind: 'not_taken', error: 'refused 550', for_good: true };
      case 'refuses_for_now':
        return { kind: 'not_taken', error: 'refused 451', for_good: false };
      case 'is_away':
        throw new Error(`no receiver for ${message.text}`);
      default:
        received.push(message);
        for (const { count, resolve } of arrivals) if (received.length >= count) resolve();
        if (reception === 'holds') await released.promise;
        return { kind: 'taken' };
    }
  };
  return {
    mailer: memoryMailer({ answer }),
    impatient_mailer: memoryMailer({ answer, message_ms: 20 }),
    async receives(next) {
      reception = next;
    },
    received: () => received,
    arrived: (count) =>
      received.length >= count ? Promise.resolve() : new Promise((resolve) => arrivals.push({ count, resolve })),
    release: released.resolve,
  };
}
