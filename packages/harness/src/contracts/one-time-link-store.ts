import { Refusal } from '@tallystick/kernel';
import { assertSame, refusalOf } from './assertions.ts';
import type { ContractRule, TwoProcesses } from './contract-rule.ts';
import { linkOf, type MailStorage, newCompany, now_ms, queueMails } from './mail-storage.ts';

/** The store of a process, each call in a transaction of its own. */
function linksOf({ unitOfWork }: MailStorage) {
  return {
    replace: (link: ReturnType<typeof linkOf>) => unitOfWork.run((tx) => tx.one_time_links.replace(link)),
    find: (token_sha256: Uint8Array) => unitOfWork.read((tx) => tx.one_time_links.find(token_sha256)),
    use: (token_sha256: Uint8Array, at_ms: number) =>
      unitOfWork.run((tx) => tx.one_time_links.use(token_sha256, at_ms)),
    purge: (before_ms: number, limit: number) => unitOfWork.run((tx) => tx.one_time_links.purge(before_ms, limit)),
  };
}

/** Links of as many mails. */
async function newLinks(storage: MailStorage, count: number) {
  const recipients = Array.from({ length: count }, (_, place) => `to-${place}@example.com`);
  return (await queueMails(storage, await newCompany(storage), recipients)).map(linkOf);
}

/** What every adapter of `OneTimeLinkStore` promises. */
export const one_time_link_store_contract: readonly ContractRule<TwoProcesses<MailStorage>>[] = [
  {
    rule: 'a link is found by the hash of its token, unused',
    async check(open) {
      const { here, there } = await open();
      const [link, other] = await newLinks(here, 2);
      assertSame('kept', await linksOf(here).replace(link!), true);
      const found = await linksOf(there).find(link!.token_sha256);
      assertSame('the link', found, { ...link, id: found?.id, used_at_ms: null });
      assertSame('another token', await linksOf(here).find(other!.token_sha256), null);
    },
  },
  {
    rule: 'a link is used once, until it expires',
    async check(open) {
      const { here } = await open();
      const { replace, find, use } = linksOf(here);
      const [link, expired, unknown] = await newLinks(here, 3);
      await replace(link!);
      await replace(expired!);
      assertSame('when it expires', await use(expired!.token_sha256, expired!.expires_at_ms), null);
      const used = await use(link!.token_sha256, link!.expires_at_ms - 1);
      assertSame('the used link', used, { ...link, id: used?.id, used_at_ms: link!.expires_at_ms - 1 });
      assertSame('used again', await use(link!.token_sha256, now_ms), null);
      assertSame('found', await find(link!.token_sha256), used);
      assertSame('an unknown token', await use(unknown!.token_sha256, now_ms), null);
    },
  },
  {
    rule: 'a use in a transaction that rolls back does not count',
    async check(open) {
      const { here } = await open();
      const [link] = await newLinks(here, 1);
      await linksOf(here).replace(link!);
      const rolled_back = here.unitOfWork.run(async (tx) => {
        await tx.one_time_links.use(link!.token_sha256, now_ms);
        throw new Refusal('not_found', 'no card');
      });
      await refusalOf(rolled_back, 'the transaction');
      assertSame('used afterwards', (await linksOf(here).use(link!.token_sha256, now_ms))?.used_at_ms, now_ms);
    },
  },
  {
    rule: 'a new link of a mail replaces the one before, unless that was used',
    async check(open) {
      const { here } = await open();
      const { replace, find, use } = linksOf(here);
      const [link, token, third] = await newLinks(here, 3);
      await replace(link!);
      const second = { ...link!, token_sha256: token!.token_sha256, expires_at_ms: now_ms + 9_000 };
      assertSame('replaced', await replace(second), true);
      assertSame('the old token', await find(link!.token_sha256), null);
      assertSame('using the old token', await use(link!.token_sha256, now_ms), null);
      const used = await use(second.token_sha256, now_ms + 8_999);
      assertSame('the new token', used?.expires_at_ms, second.expires_at_ms);
      assertSame('after it was used', await replace({ ...link!, token_sha256: third!.token_sha256 }), false);
      assertSame('the used link', await find(second.token_sha256), used);
      assertSame('the refused one', await find(third!.token_sha256), null);
    },
  },
  {
    rule: 'of racing uses exactly one gets the link',
    async check(open) {
      const { here, there } = await open();
      for (const link of await newLinks(here, 3)) {
        await linksOf(here).replace(link);
        const uses = Array.from({ length: 8 }, (_, at) =>
          linksOf(at % 2 === 0 ? here : there).use(link.token_sha256, now_ms),
        );
        assertSame('how many got it', (await Promise.all(uses)).filter((used) => used !== null).length, 1);
      }
    },
  },
  {
    rule: 'links that expired before the instant are purged, at most as many as asked',
    async check(open) {
      const { here } = await open();
      const { replace, find, purge } = linksOf(here);
      await purge(Number.MAX_SAFE_INTEGER, 1_000);
      const links = await newLinks(here, 3);
      for (const link of links) await replace(link);
      const { expires_at_ms } = links[0]!;
      assertSame('at the instant itself', await purge(expires_at_ms, 9), 0);
      assertSame('two of three', await purge(expires_at_ms + 1, 2), 2);
      assertSame('the last', await purge(expires_at_ms + 1, 2), 1);
      for (const { token_sha256 } of links) assertSame('a purged link', await find(token_sha256), null);
    },
  },
];
