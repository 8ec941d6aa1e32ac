// tally.ts
import { env } from 'node:process';
import pg from 'pg';
import { createTallystick } from 'tallystick';

export const pool = new pg.Pool({ connectionString: env.DATABASE_URL });
pool.on('error', (error) => console.error(error));

export const tally = await createTallystick({
  database: pool,
  schema: 'cards',
  keys: env.TALLYSTICK_KEYS,
});
await tally.migrate();
await tally.start();
