import { refuseTakenClientId, type ThirdPartyStore } from '@tallystick/consents';
import { newestFirst } from '../storage/paging.ts';
import type { State } from '../storage/state.ts';

/** Third parties. Transactions that write run one after another, so `lock` only reads. */
export function thirdPartyStore({ third_parties }: State): ThirdPartyStore {
  const store: ThirdPartyStore = {
    async insert(third_party) {
      if ((await store.findByClientId(third_party.client_id)) !== null) {
        throw refuseTakenClientId(third_party.client_id);
      }
      const id = third_parties.nextId();
      return third_parties.set(id, { ...third_party, id });
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
