import {
  type Consent,
  type ConsentStore,
  hasAccess,
  refuseTakenClientId,
  type ThirdPartyStore,
} from '@tallystick/consents';
import { Fault } from '@tallystick/kernel';
import { newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

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
      return consents.insert(consent);
    },

    async update(consent) {
      if (consents.has(consent.id)) consents.set(consent.id, consent);
    },

    async stopOfClient(client_id, now_ms) {
      for (const { id, ...row } of consents.values()) {
        if (row.client_id !== client_id || row.status !== 'Authorised') continue;
        consents.change(id, { stopped_at_ms: row.stopped_at_ms ?? now_ms });
      }
    },

    async listOfUser(user_id, page) {
      const its = consents.values().filter((row) => row.user_id === user_id);
      return newestFirst('consents', its, page);
    },

    async listActiveOfUser(user_id, now_ms, page) {
      const its = consents.values().filter((row) => row.user_id === user_id && hasAccess(row, now_ms));
      return newestFirst('active_consents', its, page);
    },

    async listEndedOfUser(user_id, now_ms, page) {
      const its = consents.values().filter((row) => row.user_id === user_id && !hasAccess(row, now_ms));
      return newestFirst('ended_consents', its, page);
    },
  };
}

/** Third parties. Transactions that write run one after another, so `lock` only reads. */
export function thirdPartyStore({ third_parties }: State): ThirdPartyStore {
  const store: ThirdPartyStore = {
    async insert(third_party) {
      if ((await store.findByClientId(third_party.client_id)) !== null) {
        throw refuseTakenClientId(third_party.client_id);
      }
      return third_parties.insert(third_party);
    },

    find: async (id) => third_parties.get(id) ?? null,
    lock: async (id) => third_parties.get(id) ?? null,
    findByClientId: async (client_id) => third_parties.values().find((row) => row.client_id === client_id) ?? null,

    findByClientIds: async (client_ids) =>
      third_parties.values().filter(({ client_id }) => client_ids.includes(client_id)),

    async update(third_party) {
      if (third_parties.has(third_party.id)) third_parties.set(third_party.id, third_party);
    },

    list: async (page) => newestFirst('third_parties', third_parties.values(), page),
  };
  return store;
}
