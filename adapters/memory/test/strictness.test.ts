import assert from 'node:assert/strict';
import { it } from 'node:test';
import { no_changes } from '@tallystick/cards';
import { companyRow } from '@tallystick/harness';
import { fixedClock, Violation } from '@tallystick/kernel';
import { memoryPersistence, type Tx } from '../src/index.ts';

const clock = fixedClock('2026-05-20T12:00:00Z');

/**
 * Returns storage with company 1 and its real card 1, and its unit of work.
 */
async function storageWithRealCard() {
  const { unitOfWork } = memoryPersistence({ clock });
  const real_card = await unitOfWork.run(async (tx) => {
    const { id: company_id } = await tx.companies.insert(companyRow());
    return await tx.real_cards.insert({
      company_id,
      alias: 'Travel',
      billing_currency: 'USD',
      account_range: '555555',
      velocity_enabled: true,
      network_data_names: ['Trip'],
      is_default: true,
      created_at_ms: 0,
    });
  });
  return { unitOfWork, real_card };
}

function insertTemplate({ templates }: Tx) {
  return templates.insert({
    company_id: 1,
    name: 'Restaurants',
    description: '',
    mcc_list: ['5812'],
    mcc_rule: 'ALLOW',
    merchant_controls: null,
    required_control: 'VELOCITY',
    status: 'PENDING',
    transaction_key: 'key',
    copy_from_template: '1',
    customer_number: '1',
    environment: 'sandbox',
    created_at_ms: 0,
    updated_at_ms: 0,
    deleted_at_ms: null,
    completes_at_ms: 1,
    version: 1,
  });
}

it('rejects a write of a template that the transaction does not hold', async () => {
  const { unitOfWork } = await storageWithRealCard();
  const template = await unitOfWork.run(async (tx) => {
    const inserted = await insertTemplate(tx);
    await tx.templates.update(inserted);
    return inserted;
  });
  await assert.rejects(
    unitOfWork.run((tx) => tx.templates.update(template)),
    Violation,
  );
  await unitOfWork.run(async (tx) => {
    await tx.templates.claim(template.id);
    await tx.templates.update(template);
  });
});

it('rejects the use of a store after its transaction has ended, and keeps the committed data', async () => {
  const { unitOfWork, real_card } = await storageWithRealCard();
  const leaked = await unitOfWork.run(async (tx) => tx);
  await assert.rejects(leaked.real_cards.insert(real_card), Violation);
  await assert.rejects(leaked.real_cards.find(1, real_card.id), Violation);
  const { items } = await unitOfWork.read((tx) => tx.real_cards.list(1, { limit: 5 }));
  assert.deepEqual(items, [real_card]);
});

it('keeps a copy: later changes of the caller are not stored, and records that it reads are frozen', async () => {
  const { unitOfWork, real_card } = await storageWithRealCard();
  const names = ['Trip'];
  const { id } = await unitOfWork.run((tx) => tx.real_cards.insert({ ...real_card, network_data_names: names }));
  names.push('Purchase');
  const found = await unitOfWork.read((tx) => tx.real_cards.find(1, id));
  assert.deepEqual(found?.network_data_names, ['Trip']);
  assert.throws(() => Object.assign(found, { alias: 'Changed' }), TypeError);
});

it('rejects a record that contains more than plain data', async () => {
  const { unitOfWork, real_card } = await storageWithRealCard();
  const alias = new Map() as unknown as string;
  await assert.rejects(
    unitOfWork.run((tx) => tx.real_cards.insert({ ...real_card, alias })),
    Violation,
  );
});

it('uses no id twice, not even the id of a row that was rolled back', async () => {
  const { unitOfWork, real_card } = await storageWithRealCard();
  let dropped = 0;
  const work = unitOfWork.run(async (tx) => {
    dropped = (await tx.real_cards.insert(real_card)).id;
    throw new Error('rolled back');
  });
  await assert.rejects(work, { message: 'rolled back' });
  assert.ok((await unitOfWork.run((tx) => tx.real_cards.insert(real_card))).id > dropped);
});

it('runs a pass immediately only while nothing else writes', async () => {
  const { unitOfWork, ledger } = memoryPersistence({ clock });
  const pass = () => ledger.passNow([], ({ now_ms }) => ({ changes: no_changes, result: now_ms }));
  assert.equal(pass(), Date.UTC(2026, 4, 20, 12));
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const writing = unitOfWork.run(async () => {
    begun.resolve();
    await ended.promise;
  });
  await begun.promise;
  assert.throws(pass, Violation);
  ended.resolve();
  await writing;
});
