import { Refusal } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { newCompany } from '../storage/storage.ts';
import { linkOf, type MailStorage, now_ms, queueMails } from './mail-storage.ts';

/** The store of a process. Each call runs in a separate transaction. */
function linksOf({ unitOfWork }: MailStorage) {
  return {
    replace: (link: ReturnType<typeof linkOf>) => unitOfWork.run((tx) => tx.one_time_links.replace(link)),
    find: (token_sha256: Uint8Array) => unitOfWork.read((tx) => tx.one_time_links.find(token_sha256)),
    use: (token_sha256: Uint8Array, at_ms: number) =>
      unitOfWork.run((tx) => tx.one_time_links.use(token_sha256, at_ms)),
    purge: (before_ms: number, limit: number) => unitOfWork.run((tx) => tx.one_time_links.purge(before_ms, limit)),
  };
}

async function newLinks(storage: MailStorage, count: number) {
  const recipients = Array.from({ length: count }, (_, place) => `to-${place}@example.com`);
  return (await queueMails(storage, await newCompany(storage), recipients)).map(linkOf);
}

export const one_time_link_store_contract: readonly ContractRule<MailStorage>[] = [
  rule('a link is found by the hash of its token, unused', async (here) => {
    const there = await anotherOf(here);
    const [link, other] = await newLinks(here, 2);
    assertEqual(await linksOf(here).replace(link!), true, 'kept');
    const found = await linksOf(there).find(link!.token_sha256);
    assertEqual(found, { ...link, id: found?.id, used_at_ms: null }, 'the link');
    assertEqual(await linksOf(here).find(other!.token_sha256), null, 'another token');
  }),
  rule('a link is used once, until it expires', async (here) => {
    const { replace, find, use } = linksOf(here);
    const [link, expired, unknown] = await newLinks(here, 3);
    await replace(link!);
    await replace(expired!);
    assertEqual(await use(expired!.token_sha256, expired!.expires_at_ms), null, 'when it expires');
    const used = await use(link!.token_sha256, link!.expires_at_ms - 1);
    assertEqual(used, { ...link, id: used?.id, used_at_ms: link!.expires_at_ms - 1 }, 'the used link');
    assertEqual(await use(link!.token_sha256, now_ms), null, 'used again');
    assertEqual(await find(link!.token_sha256), used, 'found');
    assertEqual(await use(unknown!.token_sha256, now_ms), null, 'an unknown token');
  }),
  rule('a use in a transaction that rolls back does not count', async (here) => {
    const [link] = await newLinks(here, 1);
    await linksOf(here).replace(link!);
    const rolled_back = here.unitOfWork.run(async (tx) => {
      await tx.one_time_links.use(link!.token_sha256, now_ms);
      throw new Refusal('not_found', 'no card');
    });
    await refusalOf(rolled_back, 'the transaction');
    assertEqual((await linksOf(here).use(link!.token_sha256, now_ms))?.used_at_ms, now_ms, 'used afterwards');
  }),
  rule('a new link of a mail replaces the previous one, unless that was used', async (here) => {
    const { replace, find, use } = linksOf(here);
    const [link, token, third] = await newLinks(here, 3);
    await replace(link!);
    const second = { ...link!, token_sha256: token!.token_sha256, expires_at_ms: now_ms + 9_000 };
    assertEqual(await replace(second), true, 'replaced');
    assertEqual(await find(link!.token_sha256), null, 'the old token');
    assertEqual(await use(link!.token_sha256, now_ms), null, 'using the old token');
    const used = await use(second.token_sha256, now_ms + 8_999);
    assertEqual(used?.expires_at_ms, second.expires_at_ms, 'the new token');
    assertEqual(await replace({ ...link!, token_sha256: third!.token_sha256 }), false, 'after it was used');
    assertEqual(await find(second.token_sha256), used, 'the used link');
    assertEqual(await find(third!.token_sha256), null, 'the refused one');
  }),
  rule('exactly one of several racing uses gets the link', async (here) => {
    const there = await anotherOf(here);
    for (const link of await newLinks(here, 3)) {
      await linksOf(here).replace(link);
      const uses = Array.from({ length: 8 }, (_, at) =>
        linksOf(at % 2 === 0 ? here : there).use(link.token_sha256, now_ms),
      );
      assertEqual((await Promise.all(uses)).filter((used) => used !== null).length, 1, 'how many got it');
    }
  }),
  rule('links that expired before the instant are purged, at most the limit', async (here) => {
    const { replace, find, purge } = linksOf(here);
    await purge(Number.MAX_SAFE_INTEGER, 1_000);
    const links = await newLinks(here, 3);
    for (const link of links) await replace(link);
    const { expires_at_ms } = links[0]!;
    assertEqual(await purge(expires_at_ms, 9), 0, 'at the instant itself');
    assertEqual(await purge(expires_at_ms + 1, 2), 2, 'two of three');
    assertEqual(await purge(expires_at_ms + 1, 2), 1, 'the last');
    for (const { token_sha256 } of links) assertEqual(await find(token_sha256), null, 'a purged link');
  }),
];
