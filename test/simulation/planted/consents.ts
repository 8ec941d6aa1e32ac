import { type PlantedBug, withStores } from './planted-bug.ts';

export const tokens_left_by_an_end: PlantedBug = {
  name: 'a token that outlives its consent',
  persistence: withStores(({ authorisation }) => ({
    authorisation: { ...authorisation, endByConsent: async () => {} },
  })),
};

export const permission_forgotten: PlantedBug = {
  name: 'a read without its permission',
  persistence: withStores(({ consents }) => ({
    consents: {
      ...consents,
      async find(consent_id) {
        const found = await consents.find(consent_id);
        return found?.kind === 'account_access'
          ? { ...found, permissions: ['ReadAccountsBasic', 'ReadBalances'] }
          : found;
      },
    },
  })),
};
