import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { WorkResult } from '@tallystick/events';
import type { ContractRule } from '@tallystick/harness';
import type { Lease } from '@tallystick/kernel';
import { memoryDeliveryQueue, type Tx } from '../src/index.ts';
import {
  delivery_queue_contract,
  mailer_contract,
  openMailer,
  openStorage,
  openVaults,
  store_suites,
  vault_suites,
  type WorkStorage,
} from './work-suites.ts';

/** Returns the rules of the suite that the subject breaks. */
async function brokenRules<Subject>(
  contract: readonly ContractRule<Subject>[],
  open: () => Promise<Subject>,
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const { rule, check } of contract) {
    await check(open).catch(() => broken.push(rule));
  }
  return broken;
}

/** Opens the storage with some stores of every transaction replaced. */
function withStores(plant: (tx: Tx) => Partial<Tx>): () => Promise<WorkStorage> {
  return async () => {
    const { delivery_desk, event_horizon, unitOfWork } = await openStorage();
    return {
      delivery_desk,
      event_horizon,
      unitOfWork: {
        run: (work) => unitOfWork.run((tx) => work({ ...tx, ...plant(tx) })),
        read: (work) => unitOfWork.read((tx) => work({ ...tx, ...plant(tx) })),
      },
    };
  };
}

/** Returns the lease as if all other leases had expired when it was taken. */
function ignoringOthers(lease: Lease): Lease {
  return { ...lease, machine_ms: Number.MAX_SAFE_INTEGER };
}

/** The results in another order than that of the attempts. */
function failuresFirst(results: readonly WorkResult[]): readonly WorkResult[] {
  return results.toSorted(
    (a, b) => Number(a.delivery.state === 'succeeded') - Number(b.delivery.state === 'succeeded'),
  );
}

/** One broken contract for each port of storage, and all the rules that it breaks. */
const breaches: Readonly<
  Record<keyof typeof store_suites, { readonly breaks: readonly string[]; readonly open: () => Promise<WorkStorage> }>
> = {
  Outbox: {
    breaks: ['committed events are taken once, at most the limit, in ascending order of id'],
    open: withStores(({ outbox }) => ({ outbox: { ...outbox, take: () => outbox.take(1_000_000) } })),
  },
  OutboxOrder: {
    breaks: [
      'events of a company are numbered in the order of their commits, without a gap, whoever writes and relays',
    ],
    open: withStores(({ outbox }) => ({
      outbox: {
        ...outbox,
        async take(limit) {
          const { events, passed_over } = await outbox.take(limit);
          return { events: events.toReversed(), passed_over };
        },
      },
    })),
  },
  SubscriptionStore: {
    breaks: [
      'a position moves only for the token that has the lease, and only from where it is',
      'of racing claims one has the lease, and of racing moves from one position one succeeds',
    ],
    open: withStores(({ subscriptions }) => ({
      subscriptions: {
        ...subscriptions,
        async advance(name, lease, { to_id }) {
          const { after_id } = (await subscriptions.find(name))!;
          return await subscriptions.advance(name, lease, { from_id: after_id, to_id });
        },
      },
    })),
  },
  DeliveryDesk: {
    breaks: [
      'racing workers claim each delivery once',
      'a claim skips deliveries that are leased, not due yet, not pending, unknown or of an inactive webhook',
      'a retry while an attempt is in flight starts a new round, and the attempt is recorded without ending it',
    ],
    async open() {
      const { delivery_desk, event_horizon, unitOfWork } = await openStorage();
      return {
        unitOfWork,
        event_horizon,
        delivery_desk: {
          ...delivery_desk,
          claim: (ids, now_ms, lease) => delivery_desk.claim(ids, now_ms, ignoringOthers(lease)),
        },
      };
    },
  },
  DeliveryStore: {
    breaks: [
      'recover starts a new round of deliveries that failed at the instant or later, at most the limit',
      'recover compares the time of the failure, not of the event, and omits deliveries that succeeded',
    ],
    open: withStores(({ deliveries }) => ({
      deliveries: {
        ...deliveries,
        recover: (webhook_id, _since_ms, now_ms, limit) => deliveries.recover(webhook_id, 0, now_ms, limit),
      },
    })),
  },
  WebhookStore: {
    breaks: ['a webhook is read as it was inserted, by its company only'],
    open: withStores(({ webhooks }) => ({
      webhooks: {
        ...webhooks,
        async find(company_id, id, options) {
          const own = await webhooks.find(company_id, id, options);
          return own ?? (await webhooks.listAfter(id - 1, 1)).find((webhook) => webhook.id === id) ?? null;
        },
      },
    })),
  },
  DecisionEndpointStore: {
    breaks: ['a company is asked while it has an active endpoint, and no other company is'],
    open: withStores(({ decision_endpoints }) => ({
      decision_endpoints: {
        ...decision_endpoints,
        put: (endpoint) => decision_endpoints.put({ ...endpoint, status: 'active' }),
      },
    })),
  },
  WebhookStates: {
    breaks: [
      'the failures in a row are counted from the last success, with the time of the first',
      'the state of a webhook has what waits for it and its newest deliveries, and an update keeps its health',
    ],
    async open() {
      const { delivery_desk, event_horizon, unitOfWork } = await openStorage();
      return {
        unitOfWork,
        event_horizon,
        delivery_desk: { ...delivery_desk, record: (results) => delivery_desk.record(failuresFirst(results)) },
      };
    },
  },
  IdempotencyStore: {
    breaks: [
      'a key is free for every claim when the lease has expired in machine time, and not before',
      'a claim does not depend on moves of the service’s clock, and is not purged while its request is in progress',
      'a record is forgotten after keep_ms, answered or not',
      'one of two owners completes, and only its work commits',
    ],
    open: withStores(({ idempotency }) => ({
      idempotency: { ...idempotency, complete: (owner, answer) => idempotency.complete(owner, answer).catch(() => {}) },
    })),
  },
  CompanyStore: {
    breaks: [
      'an update writes the fields that may change, and nothing of other companies',
      'a company that is held for update is changed by one transaction at a time',
    ],
    open: withStores(({ companies }) => ({ companies: { ...companies, update: async () => {} } })),
  },
  ApiKeyStore: {
    breaks: ['a revocation keeps its first instant'],
    open: withStores(({ api_keys }) => ({
      api_keys: { ...api_keys, revoke: async (id, at_ms) => (await api_keys.revoke(id, at_ms)) || true },
    })),
  },
  PersonStore: {
    breaks: ['a session is found by the hash of its token until it is ended'],
    open: withStores(({ console_sessions }) => ({
      console_sessions: { ...console_sessions, end: async () => {} },
    })),
  },
  MailStore: {
    breaks: [
      'a claim leases due mails, those of a company oldest due first, at most the limit, with its setting',
      'companies take turns in the order of their ids, beginning after the company of the last claim',
      'a company has no more mails leased than its lane allows, and an ended lease makes room',
      'a leased mail is claimed again only after the lease has expired in machine time',
      'racing processes claim each mail once',
      'a restart makes a failed mail due again, and does not change a pending one',
    ],
    open: withStores(({ mails }) => ({
      mails: { ...mails, claimDue: (now_ms, lease, turns) => mails.claimDue(now_ms, ignoringOthers(lease), turns) },
    })),
  },
  OneTimeLinkStore: {
    breaks: ['a link is used once, until it expires', 'a use in a transaction that rolls back does not count'],
    open: withStores(({ one_time_links }) => ({
      one_time_links: { ...one_time_links, use: (token_sha256) => one_time_links.use(token_sha256, 0) },
    })),
  },
  PortalLinkStore: {
    breaks: ['a portal link is used once, until it expires'],
    open: withStores(({ portal_links }) => ({
      portal_links: { ...portal_links, use: (token) => portal_links.use(token, 0) },
    })),
  },
  MailboxStore: {
    breaks: ['messages received before the instant are purged, at most the limit'],
    open: withStores(({ mailbox }) => ({
      mailbox: { ...mailbox, purge: (_before_ms, limit) => mailbox.purge(Number.MAX_SAFE_INTEGER, limit) },
    })),
  },
};

for (const [port, { breaks, open }] of Object.entries(breaches)) {
  it(`the suite of ${port} detects a broken rule`, async () => {
    const contract: readonly ContractRule<WorkStorage>[] = store_suites[port as keyof typeof breaches];
    const broken = await brokenRules(contract, open);
    assert.deepEqual(broken, breaks);
  });
}

it('the suite of CardVault detects a code that matches its beginning', async () => {
  const broken = await brokenRules(vault_suites.CardVault, async () => {
    const vaults = await openVaults();
    const { card_vault } = vaults.before;
    const cvcMatches: typeof card_vault.cvcMatches = (pan, expiry, guess) =>
      card_vault.cvc(pan, expiry).startsWith(guess);
    return { ...vaults, before: { ...vaults.before, card_vault: { ...card_vault, cvcMatches } } };
  });
  assert.deepEqual(broken, ['a code is three digits, the same each time, and matches only itself']);
});

it('the suite of Sealer detects values that open for any purpose', async () => {
  const broken = await brokenRules(vault_suites.Sealer, async () => {
    const vaults = await openVaults();
    const { sealer } = vaults.before;
    const careless = {
      ...sealer,
      seal: (_purpose: string, clear: Uint8Array) => sealer.seal('any', clear),
      open: (_purpose: string, sealed: Uint8Array) => sealer.open('any', sealed),
    };
    return { ...vaults, before: { ...vaults.before, sealer: careless } };
  });
  assert.deepEqual(broken, [
    'a sealed value opens for no other purpose',
    'a newer key seals, the older keys still open, and a removed key is a fault',
  ]);
});

it('the suite of Mailer detects messages that are reported as taken and were not', async () => {
  const broken = await brokenRules(mailer_contract, async () => {
    const opened = await openMailer();
    const { mailer } = opened;
    return {
      ...opened,
      mailer: { ...mailer, send: async (message) => ({ ...(await mailer.send(message)), kind: 'taken' }) },
    };
  });
  assert.deepEqual(broken, [
    'only a refused address is a permanent failure; the reason repeats nothing of the message',
    'an unavailable receiver is an outcome, not an error',
    'a closed mailer accepts no message and does not reject',
  ]);
});

it('the suite of DeliveryQueue detects a queue that continues after it was closed', async () => {
  const broken = await brokenRules(delivery_queue_contract, async () => ({
    ...memoryDeliveryQueue(),
    close: async () => {},
  }));
  assert.deepEqual(broken, ['a closed queue accepts no offer and does not reject']);
});
