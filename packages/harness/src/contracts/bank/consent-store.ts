import {
  type AccountAccessConsent,
  authorisation_ms,
  type Consent,
  type FundsConfirmationConsent,
  no_end,
} from '@tallystick/consents';
import type { PageRequest } from '@tallystick/kernel';
import { assertEqual, assertRejects, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { everyPage, idsOf, type StorageUnderTest } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';

/** An account-access consent to insert, with a ConsentId that no other has. */
export function newAccessConsent(changes: Partial<AccountAccessConsent> = {}): Omit<AccountAccessConsent, 'id'> {
  return {
    consent_id: `aac-${uniqueNumber()}`,
    client_id: 'third-party',
    kind: 'account_access',
    status: 'AwaitingAuthorisation',
    created_at_ms: 1,
    status_updated_at_ms: 2,
    expiration_date_time: null,
    expires_at_ms: null,
    user_id: null,
    company_id: null,
    account_numbers: [],
    authorised_at_ms: null,
    withdrawn_at_ms: null,
    stopped_at_ms: null,
    tokens_revoked_at_ms: null,
    tokens_end_at_ms: null,
    decided_ahead: false,
    deleted_at_ms: null,
    permissions: ['ReadAccountsDetail', 'ReadBalances'],
    transaction_from_date_time: null,
    transaction_to_date_time: null,
    ...changes,
  };
}

/** A funds-confirmation consent to insert, with a ConsentId that no other has. */
export function newFundsConsent(changes: Partial<FundsConfirmationConsent> = {}): Omit<FundsConfirmationConsent, 'id'> {
  const { permissions: _p, transaction_from_date_time: _f, transaction_to_date_time: _t, ...base } = newAccessConsent();
  return {
    ...base,
    kind: 'funds_confirmation',
    debtor_account: {
      scheme_name: 'UK.OBIE.IBAN',
      identification: 'GB82WEST12345698765432',
      name: 'Ünïcode – é😀 "quoted"',
      secondary_identification: null,
    },
    ...changes,
  };
}

const authorised = {
  status: 'Authorised',
  status_updated_at_ms: 10,
  expiration_date_time: '2026-06-01T10:00:00+02:00',
  expires_at_ms: 2 ** 45,
  user_id: 'user.one',
  company_id: 7,
  account_numbers: ['1000000001', 'ceid2000000001'],
  authorised_at_ms: 11,
  withdrawn_at_ms: 12,
  stopped_at_ms: 13,
  tokens_revoked_at_ms: 14,
  tokens_end_at_ms: 15,
  decided_ahead: true,
} as const;

export const consent_store_contract: readonly ContractRule<StorageUnderTest>[] = [
  rule('a consent of each kind is read as it was inserted and as it was updated', async (storage) => {
    const access = newAccessConsent({ transaction_from_date_time: '2026-01-01T00:00:00Z' });
    for (const details of [access, newFundsConsent()]) {
      const inserted = await storage.unitOfWork.run((tx) => tx.consents.insert(details));
      assertEqual(inserted, { ...details, id: inserted.id }, 'what was inserted');
      const updated: Consent = { ...inserted, ...authorised };
      await storage.unitOfWork.run(async (tx) => {
        assertEqual(await tx.consents.lock(details.consent_id), inserted, 'locked');
        await tx.consents.update(updated);
      });
      await (await anotherOf(storage)).unitOfWork.read(async ({ consents }) => {
        assertEqual(await consents.find(details.consent_id), updated, 'what was updated');
      });
      const deleted: Consent = { ...updated, deleted_at_ms: 20, decided_ahead: false };
      await storage.unitOfWork.run((tx) => tx.consents.update(deleted));
      const found = await storage.unitOfWork.read((tx) => tx.consents.find(details.consent_id));
      assertEqual(found, deleted, 'what was deleted');
    }
  }),
  rule('a ConsentId is found exactly as it is written, and an unknown one is null', async (storage) => {
    const { consent_id } = await storage.unitOfWork.run((tx) => tx.consents.insert(newAccessConsent()));
    await storage.unitOfWork.run(async ({ consents }) => {
      for (const unknown of [
        consent_id.toUpperCase(),
        `${consent_id} `,
        consent_id.slice(1),
        '',
        '%',
        'a\0b',
        '\ud800',
      ]) {
        assertEqual(await consents.find(unknown), null, `found by ${unknown}`);
        assertEqual(await consents.lock(unknown), null, `locked by ${unknown}`);
      }
    });
  }),
  rule('a ConsentId belongs to one consent', async (storage) => {
    const details = newAccessConsent();
    await storage.unitOfWork.run((tx) => tx.consents.insert(details));
    const again = storage.unitOfWork.run((tx) =>
      tx.consents.insert({ ...newFundsConsent(), consent_id: details.consent_id }),
    );
    await assertRejects(again, () => true, 'a second consent with its id');
    const found = await storage.unitOfWork.read((tx) => tx.consents.find(details.consent_id));
    assertEqual(found?.kind, 'account_access', 'the kind');
  }),
  rule('the consents of a user are those that it authorised, also deleted ones, the newest first', async (storage) => {
    const user_id = `user-${uniqueNumber()}`;
    const its = await storage.unitOfWork.run(async ({ consents }) => {
      const inserted: Consent[] = [];
      for (let at = 0; at < 5; at += 1) {
        inserted.push(
          await consents.insert(at % 2 === 0 ? newAccessConsent({ user_id }) : newFundsConsent({ user_id })),
        );
        await consents.insert(newAccessConsent({ user_id: `${user_id}x` }));
        await consents.insert(newAccessConsent());
      }
      inserted.push(await consents.insert(newAccessConsent({ user_id, deleted_at_ms: 3 })));
      return inserted;
    });
    for (const limit of [1, 2, 100]) {
      const listed = await storage.unitOfWork.read(({ consents }) =>
        everyPage((page: PageRequest) => consents.listOfUser(user_id, page), limit),
      );
      assertEqual(listed, its.toReversed(), `the list by pages of ${limit}`);
    }
    for (const unknown of ['', 'a\0b', '\ud800']) {
      const none = await storage.unitOfWork.read(({ consents }) => consents.listOfUser(unknown, { limit: 1 }));
      assertEqual(none.items, [], `the list of the user ${JSON.stringify(unknown)}`);
    }
    const refusal = await refusalOf(
      storage.unitOfWork.read(({ consents }) => consents.listOfUser(user_id, { limit: 1, after: 'x' })),
      'a foreign cursor',
    );
    assertEqual(refusal.code, 'invalid_query', 'the refusal');
  }),
  rule(
    'a consent of a user is active while it is authorised, not withdrawn, stopped, revoked, deleted, expired or older than 90 days, else ended',
    async (storage) => {
      const user_id = `user-${uniqueNumber()}`;
      const now_ms = 2 ** 40;
      const authorised_at_ms = now_ms - authorisation_ms + 2;
      const active = { ...authorised, ...no_end, user_id, authorised_at_ms, expires_at_ms: null };
      const ended: Consent[] = [];
      const its = await storage.unitOfWork.run(async ({ consents }) => {
        const inserted: Consent[] = [];
        for (const changes of [{}, { expires_at_ms: now_ms + 1 }, { deleted_at_ms: null }]) {
          inserted.push(await consents.insert(newAccessConsent({ ...active, ...changes })));
          inserted.push(await consents.insert(newFundsConsent({ ...active, ...changes })));
          const others = [
            { status: 'AwaitingAuthorisation' },
            { status: 'Rejected' },
            { status: 'Revoked' },
            { withdrawn_at_ms: 1 },
            { stopped_at_ms: 1 },
            { tokens_revoked_at_ms: 1 },
            { tokens_end_at_ms: now_ms },
            { deleted_at_ms: 1 },
            { expires_at_ms: now_ms },
            { authorised_at_ms: now_ms - authorisation_ms },
            { authorised_at_ms: null },
          ] as const;
          for (const other of others) ended.push(await consents.insert(newAccessConsent({ ...active, ...other })));
          await consents.insert(newAccessConsent({ ...active, user_id: `${user_id}x` }));
        }
        return inserted;
      });
      for (const limit of [1, 4, 100]) {
        const listed = await storage.unitOfWork.read(({ consents }) =>
          everyPage((page: PageRequest) => consents.listActiveOfUser(user_id, now_ms, page), limit),
        );
        assertEqual(listed, its.toReversed(), `the active ones by pages of ${limit}`);
        const others = await storage.unitOfWork.read(({ consents }) =>
          everyPage((page: PageRequest) => consents.listEndedOfUser(user_id, now_ms, page), limit),
        );
        assertEqual(others, ended.toReversed(), `the ended ones by pages of ${limit}`);
      }
      await storage.unitOfWork.read(async ({ consents }) => {
        const later = await consents.listActiveOfUser(user_id, now_ms + 1, { limit: 100 });
        assertEqual(later.items, its.filter(({ expires_at_ms }) => expires_at_ms === null).toReversed(), 'later');
        for (const unknown of ['', 'a\0b', '\ud800']) {
          for (const list of ['listActiveOfUser', 'listEndedOfUser'] as const) {
            const none = await consents[list](unknown, now_ms, { limit: 1 });
            assertEqual(none.items, [], `the list of the user ${JSON.stringify(unknown)}`);
          }
        }
        for (const list of ['listActiveOfUser', 'listEndedOfUser'] as const) {
          const foreign = consents[list](user_id, now_ms, { limit: 1, after: 'x' });
          assertEqual((await refusalOf(foreign, 'a foreign cursor')).code, 'invalid_query', 'the refusal');
        }
        const lapsed = await consents.listActiveOfUser(user_id, now_ms + 2, { limit: 100 });
        assertEqual(lapsed.items, [], 'after 90 days');
      });
    },
  ),
  rule(
    'a stop of a third party stops its authorised consents that it has not stopped, and changes no other',
    async (storage) => {
      const client_id = `client-${uniqueNumber()}`;
      const its = { ...authorised, client_id, stopped_at_ms: null };
      const before: Consent[] = await storage.unitOfWork.run(async ({ consents }) => {
        const inserted: Consent[] = [];
        for (const consent of [
          newAccessConsent(its),
          newFundsConsent(its),
          newAccessConsent({ ...its, stopped_at_ms: 30 }),
          newAccessConsent({ ...its, status: 'AwaitingAuthorisation' }),
          newAccessConsent({ ...its, status: 'Rejected' }),
          newAccessConsent({ ...its, client_id: `${client_id}x` }),
        ]) {
          inserted.push(await consents.insert(consent));
        }
        await consents.stopOfClient(client_id, 40);
        return inserted;
      });
      await (await anotherOf(storage)).unitOfWork.read(async ({ consents }) => {
        for (const [at, consent] of before.entries()) {
          const expected = at < 2 ? { ...consent, stopped_at_ms: 40 } : consent;
          assertEqual(await consents.find(consent.consent_id), expected, `the consent ${at}`);
        }
      });
    },
  ),
  rule('of transactions that lock one consent at once, each sees what those before it wrote', async (storage) => {
    const { consent_id } = await storage.unitOfWork.run((tx) => tx.consents.insert(newAccessConsent()));
    const processes = [storage, await anotherOf(storage)];
    const count = 8;
    await Promise.all(
      Array.from({ length: count }, (_, at) =>
        processes[at % 2]!.unitOfWork.run(async ({ consents }) => {
          const consent = await consents.lock(consent_id);
          await consents.update({ ...consent!, status_updated_at_ms: consent!.status_updated_at_ms + 1 });
        }),
      ),
    );
    const found = await storage.unitOfWork.read((tx) => tx.consents.find(consent_id));
    assertEqual(found?.status_updated_at_ms, 2 + count, 'the updates');
  }),
  rule('nothing of a transaction that rejects is stored', async (storage) => {
    const details = newAccessConsent();
    const work = storage.unitOfWork.run(async (tx) => {
      await tx.consents.insert(details);
      throw new RangeError('planned');
    });
    await assertRejects(work, () => true, 'the transaction');
    assertEqual(await storage.unitOfWork.read((tx) => tx.consents.find(details.consent_id)), null, 'the consent');
    assertEqual(
      idsOf((await storage.unitOfWork.read((tx) => tx.consents.listOfUser('nobody', { limit: 1 }))).items),
      [],
      'a list',
    );
  }),
];
