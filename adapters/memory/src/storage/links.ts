import { toHex } from '@tallystick/kernel';
import { oldestBefore } from './paging.ts';
import type { Table } from './table.ts';

/** A link that is opened once, by a token of which the SHA-256 is stored. */
interface Link {
  readonly id: number;
  readonly token_sha256: Uint8Array;
  readonly expires_at_ms: number;
  readonly used_at_ms: number | null;
}

/** What the stores of such links have in common. */
export function createLinks<Row extends Link>(links: Table<Row>) {
  function withToken(token_sha256: Uint8Array): Row | null {
    const token = toHex(Uint8Array.from(token_sha256));
    return links.values().find((link) => toHex(link.token_sha256) === token) ?? null;
  }

  return {
    withToken,

    async use(token_sha256: Uint8Array, now_ms: number): Promise<Row | null> {
      const link = withToken(token_sha256);
      if (link === null || link.used_at_ms !== null || link.expires_at_ms <= now_ms) return null;
      return links.set(link.id, { ...link, used_at_ms: now_ms });
    },

    async purge(before_ms: number, limit: number): Promise<number> {
      const old = oldestBefore(links.values(), ({ expires_at_ms }) => expires_at_ms, before_ms, limit);
      for (const { id } of old) links.delete(id);
      return old.length;
    },
  };
}
