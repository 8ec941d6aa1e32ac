import { type Consent, type ConsentStore, isActive } from '@tallystick/consents';
import { Fault } from '@tallystick/kernel';
import { newestFirst } from '../storage/paging.ts';
import type { State } from '../storage/state.ts';

/** Consents of Open Banking. Transactions that write run one after another, so `lock` only reads. */
export function consentStore({ consents }: State): ConsentStore {
  const find = async (consent_id: string): Promise<Consent | null> =>
    consents.values().find((row) => row.consent_id === consent_id) ?? null;
  return {
    find,
    lock: find,

    async insert(consent) {
      if ((await find(consent.consent_id)) !== null) {
        throw new Fault('two consents have one ConsentId', { retryable: false });
      }
      const id = consents.nextId();
      return consents.set(id, { ...consent, id });
    },

    async update(consent) {
      if (consents.has(consent.id)) consents.set(consent.id, consent);
    },

    async listOfUser(user_id, page) {
      const its = consents.values().filter((row) => row.user_id === user_id && row.deleted_at_ms === null);
      return newestFirst('consents', its, page);
    },

    async listActiveOfUser(user_id, now_ms, page) {
      const its = consents.values().filter((row) => row.user_id === user_id && isActive(row, now_ms));
      return newestFirst('active_consents', its, page);
    },
  };
}
