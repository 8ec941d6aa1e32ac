import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ScratchDatabase, scratchDatabase, serverEnvironment, startServer } from '@tallystick/test-support';
import { runHere } from './run-command.ts';

const minor_units = {
  name: 'sender',
  columns: {
    ID: 'network_financial_transaction_id',
    Card: 'vcn_id',
    Amount: 'billing_amount',
    Kind: 'clearing_type',
    Posted: 'settlement_date',
  },
  constants: { billing_currency: 'USD' },
};

describe('profiles of one name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-import-'));
  const [configured, corrected] = [join(folder, 'configured.json'), join(folder, 'corrected.json')];
  let database: ScratchDatabase;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    database = await scratchDatabase('sqlite');
    env = serverEnvironment(database);
    await (await startServer(database)).stop();
    writeFileSync(configured, JSON.stringify(minor_units));
    writeFileSync(corrected, JSON.stringify({ ...minor_units, amounts: 'decimal' }));
    writeFileSync(join(folder, 'a.csv'), 'ID,Card,Amount,Kind,Posted\nT1,1,12,DEBIT,2030-01-01\n');
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await database.dispose();
  });

  async function amountBy(profile: string, csv_profiles: string): Promise<unknown> {
    const words = ['a.csv', '--profile', profile, '--dry-run', '--json'];
    const { out, err } = await runHere(words, { ...env, CSV_PROFILES: csv_profiles }, folder);
    assert.equal(err, '');
    return JSON.parse(out).records[0].amount;
  }

  it('the file of the command line is used, whatever is configured', async () => {
    assert.equal(await amountBy('sender', configured), 12);
    assert.equal(await amountBy('corrected.json', configured), 1_200);
    assert.equal(await amountBy('configured.json', corrected), 12);
    assert.equal(await amountBy('corrected.json', `${configured},${corrected}`), 1_200);
  });

  it('are refused when both are configured and differ', async () => {
    const words = ['a.csv', '--dry-run', '--json'];
    const both = await runHere(words, { ...env, CSV_PROFILES: `${configured},${corrected}` }, folder);
    const message = 'CSV_PROFILES: two different CSV profiles have the name sender.\n';
    assert.deepEqual([both.status, both.out, both.err], [2, '', message]);
    assert.equal(await amountBy('sender', `${configured},${configured}`), 12);
  });
});
