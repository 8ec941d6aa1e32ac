import { before, describe, it } from 'node:test';
import {
  api_key_store_contract,
  casesOf,
  company_store_contract,
  decision_endpoint_store_contract,
  delivery_desk_contract,
  delivery_store_contract,
  idempotency_store_contract,
  mail_store_contract,
  mailbox_store_contract,
  one_time_link_store_contract,
  outbox_contract,
  person_store_contract,
  portal_link_store_contract,
  relayOrderContract,
  subscription_store_contract,
  webhook_states_contract,
  webhook_store_contract,
} from '@tallystick/harness';
import { propertyParameters } from '@tallystick/test-support';
import type { Persistence } from '../../src/index.ts';
import { onEveryDatabase } from './fixture.ts';

const contracts = {
  Outbox: outbox_contract,
  'the order of an Outbox': relayOrderContract(propertyParameters({ short: 20, full: 60 })),
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
};

interface Storage extends Pick<Persistence, 'unitOfWork' | 'delivery_desk' | 'event_horizon'> {
  another(): Promise<Storage>;
}

onEveryDatabase('the contracts of webhooks, mails and access', (fixture) => {
  let there: Persistence;
  before(async () => {
    there = await fixture().another();
  });
  const inProcess = ({ unitOfWork, delivery_desk, event_horizon }: Persistence): Storage => ({
    unitOfWork,
    delivery_desk,
    event_horizon,
    another: async () => inProcess(there),
  });
  for (const [port, contract] of Object.entries(contracts)) {
    describe(port, () => {
      for (const { name, run } of casesOf(contract, async () => inProcess(fixture().persistence))) it(name, run);
    });
  }
});
