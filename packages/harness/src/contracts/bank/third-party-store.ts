import type { ThirdParty } from '@tallystick/consents';
import type { PageRequest } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { everyPage, rising, type StorageUnderTest } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';

/** A third party to insert, with a client id that no other has. */
export function newThirdParty(changes: Partial<ThirdParty> = {}): Omit<ThirdParty, 'id'> {
  return {
    client_id: `tp-${uniqueNumber()}`,
    name: 'Budget – é😀',
    scopes: ['accounts'],
    redirect_uris: ['https://budget.example/callback?a=b'],
    jwks: { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB', x5c: ['a', 'b'] }] },
    jwks_uri: null,
    certificate_subject: null,
    id_token_signed_response_alg: 'PS256',
    is_sandbox: false,
    status: 'active',
    created_at_ms: 5,
    ...changes,
  };
}

export const third_party_store_contract: readonly ContractRule<StorageUnderTest>[] = [
  rule('a third party is read as it was inserted and as it was updated, by id and by client id', async (storage) => {
    const details = newThirdParty();
    const inserted = await storage.unitOfWork.run((tx) => tx.third_parties.insert(details));
    assertEqual(inserted, { ...details, id: inserted.id }, 'what was inserted');
    const updated: ThirdParty = {
      ...inserted,
      name: 'Other',
      scopes: ['fundsconfirmations', 'accounts'],
      redirect_uris: ['https://a.example/', 'https://b.example/'],
      jwks: null,
      jwks_uri: 'https://a.example/jwks',
      certificate_subject: 'CN=a,O=A "Ltd"',
      id_token_signed_response_alg: 'ES256',
      is_sandbox: true,
      status: 'suspended',
    };
    await storage.unitOfWork.run((tx) => tx.third_parties.update(updated));
    await (await anotherOf(storage)).unitOfWork.read(async ({ third_parties }) => {
      assertEqual(await third_parties.find(inserted.id), updated, 'by id');
      assertEqual(await third_parties.findByClientId(inserted.client_id), updated, 'by client id');
      assertEqual(await third_parties.find(999_999_999), null, 'by an unknown id');
      for (const unknown of ['', '%', 'a\0b', '\ud800']) {
        assertEqual(await third_parties.findByClientId(unknown), null, `by the client id ${JSON.stringify(unknown)}`);
      }
      assertEqual(
        await third_parties.findByClientId(inserted.client_id.toUpperCase()),
        null,
        'by an unknown client id',
      );
    });
  }),
  rule('many third parties are found by their client ids at once, and unknown ones are left out', async (storage) => {
    const made = await storage.unitOfWork.run(async ({ third_parties }) => [
      await third_parties.insert(newThirdParty({ status: 'suspended' })),
      await third_parties.insert(newThirdParty({ jwks: null })),
      await third_parties.insert(newThirdParty()),
    ]);
    await storage.unitOfWork.read(async ({ third_parties }) => {
      const [first, second] = made;
      const wanted = [second!.client_id, '', 'a\0b', '\ud800', first!.client_id.toUpperCase(), first!.client_id];
      const found = await third_parties.findByClientIds(wanted);
      assertEqual(
        found.toSorted((a, b) => a.id - b.id),
        [first, second],
        'those that exist',
      );
      assertEqual(await third_parties.findByClientIds([]), [], 'by no client id');
    });
  }),
  rule('a client id belongs to one third party, also when two processes insert it at once', async (storage) => {
    const wanted = newThirdParty();
    const processes = [storage, await anotherOf(storage)];
    const results = await Promise.allSettled(
      processes.map(({ unitOfWork }) => unitOfWork.run((tx) => tx.third_parties.insert(wanted))),
    );
    assertEqual(rising(results.map(({ status }) => Number(status === 'fulfilled'))), [0, 1], 'how many were inserted');
    const again = storage.unitOfWork.run((tx) => tx.third_parties.insert(wanted));
    assertEqual((await refusalOf(again, 'a taken client id')).code, 'conflict', 'the refusal');
  }),
  rule('of transactions that lock one third party at once, each sees what those before it wrote', async (storage) => {
    const { id } = await storage.unitOfWork.run((tx) => tx.third_parties.insert(newThirdParty()));
    const processes = [storage, await anotherOf(storage)];
    const count = 8;
    await Promise.all(
      Array.from({ length: count }, (_, at) =>
        processes[at % 2]!.unitOfWork.run(async ({ third_parties }) => {
          const locked = await third_parties.lock(id);
          await third_parties.update({ ...locked!, created_at_ms: locked!.created_at_ms + 1 });
        }),
      ),
    );
    const found = await storage.unitOfWork.read((tx) => tx.third_parties.find(id));
    assertEqual(found?.created_at_ms, 5 + count, 'the updates');
    const unknown = await storage.unitOfWork.run((tx) => tx.third_parties.lock(999_999_999));
    assertEqual(unknown, null, 'locked by an unknown id');
  }),
  rule('third parties are listed the newest first, page by page', async (storage) => {
    const made = await storage.unitOfWork.run(async ({ third_parties }) => {
      const inserted: ThirdParty[] = [];
      for (let at = 0; at < 5; at += 1) inserted.push(await third_parties.insert(newThirdParty()));
      return inserted;
    });
    for (const limit of [1, 2, 100]) {
      const listed = await storage.unitOfWork.read(({ third_parties }) =>
        everyPage((page: PageRequest) => third_parties.list(page), limit),
      );
      assertEqual(listed.slice(0, made.length), made.toReversed(), `the newest, by pages of ${limit}`);
    }
  }),
];
