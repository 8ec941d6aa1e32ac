import type { PortalLink, PortalLinkStore } from '@tallystick/access';
import { toHex } from '@tallystick/kernel';
import { oldestBefore } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

export function portalLinkStore({ companies, portal_links: links }: State): PortalLinkStore {
  function withToken(token_sha256: Uint8Array): PortalLink | undefined {
    const token = toHex(Uint8Array.from(token_sha256));
    return links.values().find((link) => toHex(link.token_sha256) === token);
  }

  return {
    async insert(link) {
      companies.assertHas(link.company_id, 'company');
      const id = links.nextId();
      return links.set(id, { ...link, id });
    },

    async find(id) {
      return links.get(id) ?? null;
    },

    async findByToken(token_sha256) {
      return withToken(token_sha256) ?? null;
    },

    async use(token_sha256, now_ms) {
      const link = withToken(token_sha256);
      if (link === undefined || link.used_at_ms !== null || link.expires_at_ms <= now_ms) return null;
      return links.set(link.id, { ...link, used_at_ms: now_ms });
    },

    async purge(before_ms, limit) {
      const old = oldestBefore(links.values(), ({ expires_at_ms }) => expires_at_ms, before_ms, limit);
      for (const { id } of old) links.delete(id);
      return old.length;
    },
  };
}
