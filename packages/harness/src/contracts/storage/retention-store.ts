import { type AuthorisationRecord, interaction_model } from '@tallystick/consents';
import type { DeliveryDesk } from '@tallystick/events';
import {
  type ArchivedRow,
  type AuditChainStore,
  type AuditMac,
  assert,
  type Lease,
  type RetentionKind,
  type RetentionStore,
  sealAuditLog,
  type UnitOfWork,
  walked_kinds,
} from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { newAccessConsent, newFundsConsent } from '../bank/consent-store.ts';
import { type MailStorageTx, lease as mail_lease, queueMails } from '../mail/mail-storage.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import {
  appendEvents,
  deliveriesOf,
  lastFailureOf,
  lease,
  minute_ms,
  now_ms,
  queued,
  register,
  relayAll,
  resultOf,
  success,
  timeout,
  type WebhookStorageTx,
} from '../webhooks/webhook-storage.ts';
import { everyPage, idsOf, newCompany, type StorageTx, type StorageUnderTest } from './storage.ts';

export interface RetentionStorage extends StorageUnderTest {
  readonly unitOfWork: UnitOfWork<
    StorageTx &
      WebhookStorageTx &
      Omit<MailStorageTx, 'cards'> & { readonly retention: RetentionStore; readonly audit_chain: AuditChainStore }
  >;
  readonly audit_mac: AuditMac;
  readonly delivery_desk: DeliveryDesk;
}

const day_ms = 24 * 60 * minute_ms;

/** Removes every row of a kind that is due, from an id on. Returns the removed rows. */
export async function purgeAll(
  { unitOfWork }: Pick<RetentionStorage, 'unitOfWork'>,
  kind: RetentionKind,
  before_ms: number,
  after = 0,
  at_ms = now_ms,
): Promise<readonly ArchivedRow[]> {
  const removed: ArchivedRow[] = [];
  const bounds = { before_ms, now_ms: at_ms };
  for (let from = after; ; ) {
    const batch = await unitOfWork.read((tx) => tx.retention.due(kind, bounds, from));
    const count = await unitOfWork.run((tx) =>
      batch.rows.length === 0 ? Promise.resolve(0) : tx.retention.remove(kind, bounds, batch.rows),
    );
    assertEqual(count, batch.rows.length, `the removed ${kind}`);
    removed.push(...batch.rows);
    if (batch.is_last) return removed;
    if (batch.after > from && walked_kinds.has(kind)) from = batch.after;
  }
}

function recordAudit({ unitOfWork }: RetentionStorage, company_id: number, at_ms: number): Promise<void> {
  const entry = {
    company_id,
    actor: 'key:1',
    action: 'a',
    object: 'o',
    request_id: 'r',
    source_address: null,
    details: { nested: [1] },
  };
  return unitOfWork.run((tx) => tx.audit.record(entry, at_ms));
}

function sealAudit({ unitOfWork, audit_mac: mac }: RetentionStorage): Promise<unknown> {
  return sealAuditLog({ unitOfWork, mac });
}

export const retention_store_contract: readonly ContractRule<RetentionStorage>[] = [
  rule('one process at a time has the lease of a kind; another takes over when it has expired', async (here) => {
    const there = await anotherOf(here);
    const two: Lease = {
      token: 'two',
      machine_ms: lease.until_machine_ms,
      until_machine_ms: lease.until_machine_ms + 9,
    };
    const claim = (at: RetentionStorage, of: Lease) =>
      at.unitOfWork.run((tx) => tx.retention.claim('mails', of, now_ms));
    const began = { after_id: 0, left_id: null, began_at_ms: now_ms };
    assertEqual(await claim(here, lease), began, 'the first claim');
    assertEqual(await claim(there, { ...two, machine_ms: two.machine_ms - 1 }), null, 'during the lease');
    const progress = { after_id: 7, left_id: 3, began_at_ms: now_ms + 1 };
    assertEqual(await here.unitOfWork.run((tx) => tx.retention.save('mails', lease, progress)), true, 'saved');
    assertEqual(await claim(there, two), progress, 'after the lease');
    assertEqual(await here.unitOfWork.run((tx) => tx.retention.save('mails', lease, began)), false, 'without lease');
    await here.unitOfWork.run((tx) => tx.retention.release('mails', lease));
    assertEqual(await claim(here, { ...lease, machine_ms: two.until_machine_ms - 1 }), null, 'still leased');
    await there.unitOfWork.run((tx) => tx.retention.release('mails', two));
    assertEqual(await claim(here, lease), progress, 'after the release');
    await here.unitOfWork.run((tx) => tx.retention.release('mails', lease));
  }),
  rule('sealed audit entries are due by their age, and are read with their values', async (here) => {
    const company_id = await newCompany(here);
    await sealAudit(here);
    await purgeAll(here, 'audit_entries', Number.MAX_SAFE_INTEGER);
    for (const at_ms of [now_ms, now_ms + 1, now_ms + 2]) await recordAudit(here, company_id, at_ms);
    assertEqual(await purgeAll(here, 'audit_entries', now_ms + 2), [], 'before they are sealed');
    await sealAudit(here);
    const gone = await purgeAll(here, 'audit_entries', now_ms + 2);
    assertEqual(
      gone.map(({ at_ms, company_id: of, object, details }) => ({ at_ms, of, object, details })),
      [now_ms, now_ms + 1].map((at_ms) => ({ at_ms, of: company_id, object: 'o', details: { nested: [1] } })),
      'the entries',
    );
    assertEqual((await purgeAll(here, 'audit_entries', now_ms + 2)).length, 0, 'again');
    assertEqual((await purgeAll(here, 'audit_entries', now_ms + 3)).length, 1, 'the last');
  }),
  rule('an event stays while a relay has to take it or a delivery of it is kept', async (here) => {
    const company_id = await newCompany(here);
    await relayAll(here);
    const webhook = await register(here, company_id);
    const [first, second, third] = await appendEvents(here, company_id, 3);
    const due = async () => {
      const bounds = { before_ms: now_ms + 1, now_ms };
      const batch = await here.unitOfWork.read((tx) => tx.retention.due('events', bounds, first! - 1));
      return { ids: batch.rows.map(({ id }) => id), left_id: batch.left_id };
    };
    assertEqual(await due(), { ids: [], left_id: first }, 'in the outbox');
    await relayAll(here);
    assertEqual(await due(), { ids: [], left_id: first }, 'with pending deliveries');
    const ids = idsOf(await deliveriesOf(here, webhook.id));
    const orders = await here.delivery_desk.claim(ids.slice(1), now_ms, lease);
    await here.delivery_desk.record(orders.map((order) => resultOf(order, success)));
    assertEqual(await due(), { ids: [], left_id: first }, 'with finished deliveries');
    await purgeAll(here, 'deliveries', now_ms + 1);
    assertEqual(await due(), { ids: [second, third], left_id: first }, 'without deliveries');
    await purgeAll(here, 'events', now_ms + 1, first! - 1);
    const { items } = await here.unitOfWork.read((tx) => tx.events.list(company_id, [], { limit: 10 }));
    assertEqual(idsOf(items), [first], 'what is left');
  }),
  rule('an event that got a delivery or an entry of the outbox since it was read is not removed', async (here) => {
    const company_id = await newCompany(here);
    const ids = await appendEvents(here, company_id, 1);
    const rows = ids.map((id) => ({ id }));
    const bounds = { before_ms: now_ms + 1, now_ms };
    assertEqual(await here.unitOfWork.run((tx) => tx.retention.remove('events', bounds, rows)), 0, 'removed');
    await relayAll(here);
    const early = { before_ms: now_ms, now_ms };
    assertEqual(await here.unitOfWork.run((tx) => tx.retention.remove('events', early, rows)), 0, 'too young');
    assertEqual(await here.unitOfWork.run((tx) => tx.retention.remove('events', bounds, rows)), 1, 'without both');
  }),
  rule('after a purge, pages of events omit none and continue, with and without filters', async (here) => {
    const [company_id, other] = [await newCompany(here), await newCompany(here)];
    await relayAll(here);
    const webhook = await register(here, company_id);
    // Pending deliveries keep some events, so that what is left has gaps.
    const kept: number[] = [];
    for (let round = 0; round < 12; round += 1) {
      kept.push(...(await appendEvents(here, company_id, 2)));
      await relayAll(here);
      await here.unitOfWork.run(async (tx) => tx.webhooks.find(company_id, webhook.id, { for_update: true }));
      await appendEvents(here, other, 20);
      await relayAll(here);
    }
    await here.doLaterWork?.();
    const orders = await here.delivery_desk.claim(idsOf(await deliveriesOf(here, webhook.id)), now_ms, lease);
    const ended = orders.filter((_, place) => place % 3 !== 0);
    await here.delivery_desk.record(ended.map((order) => resultOf(order, success)));
    await purgeAll(here, 'deliveries', now_ms + 1);
    await purgeAll(here, 'events', now_ms + 1, kept[0]! - 1);
    await here.doLaterWork?.();
    const left = kept.filter((_, place) => place % 3 === 0).toReversed();
    const filter = { name: 'event_type', kind: 'equals', value: 'virtualcard.created' } as const;
    for (const filters of [[], [filter]]) {
      for (const limit of [1, 3, 100]) {
        const listed = await here.unitOfWork.read((tx) =>
          everyPage((page) => tx.events.list(company_id, filters, page), limit),
        );
        assertEqual(idsOf(listed), left, `${filters.length} filters, pages of ${limit}`);
      }
    }
    const gone = await here.unitOfWork.read((tx) => tx.events.list(other, [filter], { limit: 10 }));
    assertEqual(gone, { items: [], next: null }, 'events of a company without any');
  }),
  rule('ids of purged events are not given out again', async (here) => {
    const company_id = await newCompany(here);
    const [id] = await appendEvents(here, company_id, 1);
    await relayAll(here);
    await purgeAll(here, 'events', now_ms + 1, id! - 1);
    const [next] = await appendEvents(here, company_id, 1);
    assert(next! > id!, `event ${next} follows event ${id}`);
  }),
  rule('old attempts and deliveries finished long ago are due; pending deliveries stay', async (here) => {
    for (const kind of ['delivery_attempts', 'deliveries'] as const) {
      await purgeAll(here, kind, now_ms + 1_000 * minute_ms);
    }
    const { webhook, ids } = await queued(here, 2);
    const [first, second] = await here.delivery_desk.claim(ids, now_ms, lease);
    await here.delivery_desk.record([resultOf(first!, success), resultOf(second!, timeout)]);
    for (const kind of ['delivery_attempts', 'deliveries'] as const) {
      assertEqual(await purgeAll(here, kind, now_ms), [], `${kind} at the instant itself`);
    }
    const attempts = await purgeAll(here, 'delivery_attempts', now_ms + 1);
    assertEqual(
      attempts.map(({ delivery_id, number }) => [delivery_id, number]).sort(),
      ids.map((id) => [id, 1]),
      'the attempts',
    );
    const ended = await purgeAll(here, 'deliveries', now_ms + 1);
    assertEqual(idsOf(ended as readonly { id: number }[]), [ids[0]], 'the finished delivery');
    const { items } = await here.unitOfWork.read((tx) => tx.deliveries.list(webhook.id, {}, { limit: 10 }));
    const left = items.map(({ delivery, attempts: of }) => ({ state: delivery.state, attempts: of.length }));
    assertEqual(left, [{ state: 'pending', attempts: 0 }], 'what is left');
  }),
  rule('a delivery that was finished long ago and restarted is pending, and is not removed', async (here) => {
    const { webhook, ids } = await queued(here, 1);
    const [order] = await here.delivery_desk.claim(ids, now_ms, lease);
    assert(order !== undefined, 'nothing was claimed');
    await here.delivery_desk.record([lastFailureOf(order)]);
    const later_ms = now_ms + 1_000 * minute_ms;
    const bounds = { before_ms: later_ms, now_ms: later_ms };
    const { rows } = await here.unitOfWork.read((tx) => tx.retention.due('deliveries', bounds, 0));
    await here.unitOfWork.run((tx) => tx.deliveries.recover(webhook.id, now_ms, later_ms, 1));
    const restarted = await deliveriesOf(here, webhook.id);
    await here.unitOfWork.run((tx) => tx.retention.remove('deliveries', bounds, rows));
    assertEqual(await deliveriesOf(here, webhook.id), restarted, 'the delivery');
  }),
  rule('consents that nobody ever authorised are due by their creation; others stay', async (here) => {
    await purgeAll(here, 'consents', now_ms + 1_000 * day_ms);
    const old = { created_at_ms: now_ms };
    const authorised = { ...old, user_id: 'user', company_id: 1, authorised_at_ms: now_ms } as const;
    const going = [
      newAccessConsent({ ...old, permissions: ['ReadAccountsBasic'] }),
      newFundsConsent({ ...old, created_at_ms: now_ms + 1, status: 'Rejected' }),
      newAccessConsent({ ...old, created_at_ms: now_ms + 2, deleted_at_ms: now_ms, expires_at_ms: 1 }),
    ];
    const staying = [
      newAccessConsent({ ...old, created_at_ms: now_ms + 3 }),
      newAccessConsent({ ...authorised, status: 'Authorised' }),
      newAccessConsent({ ...authorised, status: 'Authorised', expires_at_ms: 1 }),
      newAccessConsent({ ...authorised, status: 'Authorised', withdrawn_at_ms: now_ms }),
      newAccessConsent({ ...authorised, status: 'Authorised', deleted_at_ms: now_ms }),
      newFundsConsent({ ...authorised, status: 'Revoked' }),
    ];
    await here.unitOfWork.run(async ({ consents }) => {
      for (const consent of [...staying, ...going]) await consents.insert(consent);
    });
    assertEqual(await purgeAll(here, 'consents', now_ms), [], 'at the instant itself');
    const gone = await purgeAll(here, 'consents', now_ms + 3);
    assertEqual(
      gone.map(({ consent_id, account_numbers }) => ({ consent_id, account_numbers })),
      going.map(({ consent_id, account_numbers }) => ({ consent_id, account_numbers })),
      'the oldest first',
    );
    assertEqual(gone[0]!.permissions, ['ReadAccountsBasic'], 'a list');
    assertEqual(gone[1]!.debtor_account, newFundsConsent().debtor_account, 'an object');
    await here.unitOfWork.read(async ({ consents }) => {
      for (const { consent_id } of going) assertEqual(await consents.find(consent_id), null, 'one that is gone');
      for (const { consent_id } of staying) {
        assertEqual((await consents.find(consent_id))?.consent_id, consent_id, 'one that stays');
      }
    });
  }),
  rule('a consent stays while a record of the authorisation server belongs to it', async (here) => {
    await purgeAll(here, 'consents', now_ms + 1_000 * day_ms);
    const consent = newAccessConsent({ created_at_ms: now_ms });
    const record: AuthorisationRecord = {
      model: interaction_model,
      id_hash: `interaction of ${consent.consent_id}`,
      payload_sealed: new Uint8Array(),
      client_id: consent.client_id,
      consent_id: consent.consent_id,
      user_id: null,
      grant_id: null,
      expires_at_ms: null,
      ends_by: 'service',
      consumed_at_ms: null,
    };
    const { id } = await here.unitOfWork.run(async (tx) => {
      await tx.authorisation.put(record);
      return await tx.consents.insert(consent);
    });
    const bounds = { before_ms: now_ms + 1, now_ms };
    const remove = () => here.unitOfWork.run(({ retention }) => retention.remove('consents', bounds, [{ id }]));
    assertEqual(await purgeAll(here, 'consents', now_ms + 1), [], 'due');
    assertEqual(await remove(), 0, 'removed, when it was read before');
    await here.unitOfWork.run((tx) => tx.authorisation.end(record.model, record.id_hash));
    assertEqual(await remove(), 1, 'removed without the record');
  }),
  rule('a consent that was authorised since it was read is not removed', async (here) => {
    const consent = await here.unitOfWork.run((tx) => tx.consents.insert(newAccessConsent({ created_at_ms: now_ms })));
    const bounds = { before_ms: now_ms + 1, now_ms };
    const { rows } = await here.unitOfWork.read((tx) => tx.retention.due('consents', bounds, 0));
    assertEqual(
      rows.some(({ id }) => id === consent.id),
      true,
      'due',
    );
    const authorised = { ...consent, status: 'Authorised', user_id: 'user', authorised_at_ms: now_ms } as const;
    await here.unitOfWork.run((tx) => tx.consents.update(authorised));
    await here.unitOfWork.run((tx) => tx.retention.remove('consents', bounds, rows));
    const found = await here.unitOfWork.read((tx) => tx.consents.find(consent.consent_id));
    assertEqual(found, authorised, 'the consent');
  }),
  rule('sent mails are due by age; failed and pending ones stay', async (here) => {
    const far_ms = now_ms + 1_000 * day_ms;
    await purgeAll(here, 'mails', far_ms);
    const company_id = await newCompany(here);
    const [one, two, three, pending] = await queueMails(here, company_id, [
      'a@b.example',
      'c@b.example',
      'd@b.example',
      'e@b.example',
    ]);
    await here.unitOfWork.run(async (tx) => {
      await tx.mails.claimDue(far_ms, mail_lease, { limit: 100, per_company_max: 100, after_company_id: 0 });
      const end = { attempts: 1, due_at_ms: null, error: null } as const;
      const recorded = [
        { ...one!, ...end, state: 'sent', finished_at_ms: now_ms },
        { ...two!, ...end, state: 'sent', finished_at_ms: now_ms + 1 },
        { ...three!, ...end, state: 'failed', finished_at_ms: now_ms },
      ] as const;
      await tx.mails.record(recorded.map((mail) => ({ mail, lease: mail_lease.token })));
    });
    assertEqual(await purgeAll(here, 'mails', now_ms), [], 'at the instant itself');
    const gone = await purgeAll(here, 'mails', now_ms + 1);
    assertEqual(
      gone.map(({ id, recipient }) => ({ id, recipient })),
      [{ id: one!.id, recipient: 'a@b.example' }],
      'older',
    );
    assertEqual(
      (await purgeAll(here, 'mails', far_ms)).map(({ id }) => id),
      [two!.id],
      'the other',
    );
    const page = await here.unitOfWork.read((tx) => tx.mails.list({ company_id }, { limit: 9 }));
    assertEqual(idsOf(page.items), [pending!.id, three!.id], 'what is left');
  }),
];
