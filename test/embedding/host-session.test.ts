/** Hosts whose connections to Postgres have settings and parsers of their own. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { database_names, scratchDatabase } from '@tallystick/test-support';
import pg from 'pg';
import { createTallystick, type Tallystick } from 'tallystick';

const settings = [
  'timezone=America/New_York',
  'datestyle=German,DMY',
  'intervalstyle=sql_standard',
  'extra_float_digits=-5',
  'bytea_output=escape',
  'standard_conforming_strings=off',
  'array_nulls=off',
] as const;

describe('a pool of a host', { timeout: 120_000, skip: !database_names.includes('postgres') }, () => {
  async function withPool(
    config: pg.PoolConfig,
    work: (tally: Tallystick, pool: pg.Pool) => Promise<void>,
  ): Promise<void> {
    const { database_url, dispose } = await scratchDatabase('postgres');
    const pool = new pg.Pool({ connectionString: database_url, ...config });
    // The database is dropped while the last connections close.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    try {
      await using tally = await createTallystick({ database: pool, sandbox: true });
      await tally.migrate();
      await work(tally, pool);
    } finally {
      await pool.end();
      await dispose();
    }
  }

  test('may have any settings of a session', async () => {
    for (const own of [settings, settings.slice(0, 1), settings.slice(1, 2)]) {
      const options = own.map((setting) => `-c ${setting}`).join(' ');
      await withPool({ options }, async (tally, pool) => {
        const { cards } = tally.company(1);
        const request = { total_card_amount: 2_000 };
        const card = await tally.transaction(pool, async (tx) => await cards.issue(request, { tx }));
        assert.equal((await cards.read(card.id)).total_card_amount, 2_000);
      });
    }
  });

  test('may be of a process that has replaced every parser of pg', async () => {
    const oids = Object.values(pg.types.builtins).filter((oid): oid is number => typeof oid === 'number');
    const arrays = [1000, 1001, 1005, 1007, 1009, 1015, 1016];
    const earlier = [...oids, ...arrays].map((oid) => [oid, pg.types.getTypeParser(oid)] as const);
    for (const [oid] of earlier) pg.types.setTypeParser(oid, (text: string) => [`of host: ${text}`]);
    try {
      await withPool({}, async (tally, pool) => {
        const { cards } = tally.company(1);
        const request = { total_card_amount: 2_000, emails: ['a@example.com'], metadata: { note: 'x' } };
        const read = Promise.withResolvers<unknown>();
        await tally.subscribe('parsers', ['virtualcard.created'], async ([event], tx) => {
          const { rows } = await tx.query("select 1::int as one, true as yes, 'x' as text, 1::bigint as long");
          read.resolve([event?.event_type, rows[0]]);
        });
        await tally.start();
        const card = await tally.transaction(pool, async (tx) => await cards.issue(request, { tx }));
        assert.equal((await cards.read(card.id)).total_card_amount, 2_000);
        assert.deepEqual(await read.promise, ['virtualcard.created', { one: 1, yes: true, text: 'x', long: 1 }]);
        // Reads the applied migrations.
        await tally.migrate();
      });
    } finally {
      for (const [oid, parser] of earlier) pg.types.setTypeParser(oid, parser);
    }
  });
});
