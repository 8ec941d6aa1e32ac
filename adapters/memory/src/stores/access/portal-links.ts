import type { PortalLinkStore } from '@tallystick/access';
import { createLinks } from '../../storage/links.ts';
import type { State } from '../../storage/state.ts';

export function portalLinkStore({ companies, portal_links: links }: State): PortalLinkStore {
  const { withToken, use, purge } = createLinks(links);
  return {
    async insert(link) {
      companies.assertHas(link.company_id, 'company');
      return links.insert(link);
    },

    async find(id) {
      return links.get(id) ?? null;
    },

    async findByToken(token_sha256) {
      return withToken(token_sha256);
    },

    use,
    purge,
  };
}
