import type { AccessTx, PortalLink } from '@tallystick/access';
import { assertEqual } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { newCompany, type SharedStorage } from '../storage/storage.ts';

export type PortalLinkStorage = SharedStorage<Pick<AccessTx, 'portal_links' | 'companies'>>;

const noon_ms = Date.UTC(2026, 4, 20, 12);

let hashes = 0;

/** A hash that no other call returns. */
function newHash(): Uint8Array {
  hashes += 1;
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(0, hashes);
  return hash;
}

/** The store of a process. Each call runs in a separate transaction. */
function linksOf({ unitOfWork }: PortalLinkStorage) {
  return {
    insert: (link: Omit<PortalLink, 'id'>) => unitOfWork.run((tx) => tx.portal_links.insert(link)),
    use: ({ token_sha256 }: Pick<PortalLink, 'token_sha256'>, at_ms: number) =>
      unitOfWork.run((tx) => tx.portal_links.use(token_sha256, at_ms)),
    find: (id: number) => unitOfWork.read((tx) => tx.portal_links.find(id)),
    findByToken: (token_sha256: Uint8Array) => unitOfWork.read((tx) => tx.portal_links.findByToken(token_sha256)),
    purge: (before_ms: number, limit: number) => unitOfWork.run((tx) => tx.portal_links.purge(before_ms, limit)),
  };
}

async function newLink(storage: PortalLinkStorage, read_only = false): Promise<PortalLink> {
  return linksOf(storage).insert({
    company_id: await newCompany(storage),
    read_only,
    token_sha256: newHash(),
    created_at_ms: noon_ms,
    expires_at_ms: noon_ms + 300_000,
    used_at_ms: null,
  });
}

export const portal_link_store_contract: readonly ContractRule<PortalLinkStorage>[] = [
  rule('a portal link is found by its id and its token', async (here) => {
    const there = await anotherOf(here);
    const [link, reader] = [await newLink(here), await newLink(here, true)];
    const { find, findByToken } = linksOf(there);
    assertEqual([await find(link.id), await find(reader.id)], [link, reader], 'by id');
    assertEqual(await findByToken(reader.token_sha256), reader, 'by token');
    assertEqual([await find(999_999_999), await findByToken(newHash())], [null, null], 'unknown ones');
  }),
  rule('a portal link is used once, until it expires', async (here) => {
    const [link, expired] = [await newLink(here), await newLink(here)];
    const { use, find } = linksOf(here);
    assertEqual(await use(expired, expired.expires_at_ms), null, 'when it expires');
    const used = { ...link, used_at_ms: link.expires_at_ms - 1 };
    assertEqual(await use(link, link.expires_at_ms - 1), used, 'the used link');
    assertEqual(await use(link, noon_ms), null, 'used again');
    assertEqual(await find(link.id), used, 'found');
    assertEqual(await use({ token_sha256: newHash() }, noon_ms), null, 'an unknown one');
  }),
  rule('exactly one of several racing uses gets the portal link', async (here) => {
    const there = await anotherOf(here);
    for (let round = 0; round < 3; round += 1) {
      const link = await newLink(here);
      const uses = Array.from({ length: 8 }, (_, at) => linksOf(at % 2 === 0 ? here : there).use(link, noon_ms));
      assertEqual((await Promise.all(uses)).filter((used) => used !== null).length, 1, 'how many got it');
    }
  }),
  rule('portal links that expired before the instant are purged, at most the limit', async (here) => {
    const { find, purge } = linksOf(here);
    await purge(Number.MAX_SAFE_INTEGER, 1_000);
    const links = [await newLink(here), await newLink(here), await newLink(here)];
    const { expires_at_ms } = links[0]!;
    assertEqual(await purge(expires_at_ms, 9), 0, 'at the instant itself');
    assertEqual(await purge(expires_at_ms + 1, 2), 2, 'two of three');
    assertEqual(await purge(expires_at_ms + 1, 2), 1, 'the last');
    for (const { id } of links) assertEqual(await find(id), null, 'a purged link');
  }),
];
