import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Refusal } from '@tallystick/kernel';
import { default_template_ids, type PurchaseTemplate } from '@tallystick/templates';
import type { ScratchDatabase } from '@tallystick/test-support';
import { connect } from '../../src/connection/connection.ts';
import { makeCompany, noon_ms, onEveryDatabase, realCard } from './fixture.ts';

let keys = 0;

function template(company_id: number, changes: Partial<PurchaseTemplate> = {}): Omit<PurchaseTemplate, 'id'> {
  keys += 1;
  return {
    company_id,
    name: `Restaurants ${keys}`,
    description: 'Where one eats',
    mcc_list: ['5812', '5813'],
    mcc_rule: 'ALLOW',
    required_control: 'VELOCITY',
    status: 'PENDING',
    transaction_key: `key-${keys}`,
    copy_from_template: '1',
    customer_number: '1',
    environment: 'sandbox',
    created_at_ms: noon_ms,
    updated_at_ms: noon_ms,
    deleted_at_ms: null,
    completes_at_ms: noon_ms + 5_000,
    ...changes,
  };
}

onEveryDatabase('the store of templates', (fixture, name) => {
  it('has the shared defaults, which allow every MCC, for every company', async () => {
    await fixture().run(async (tx) => {
      const { id } = await makeCompany(tx);
      for (const [control, default_id] of Object.entries(default_template_ids)) {
        const shared = await tx.templates.find(id, default_id);
        assert(shared !== null);
        assert.deepEqual(
          [shared.company_id, shared.required_control, shared.mcc_rule, shared.mcc_list, shared.status],
          [null, control, 'DENY', [], 'ACTIVE'],
        );
      }
      assert.deepEqual(
        (await tx.templates.list(id, {}, { limit: 5 })).items.map((item) => item.id),
        [2, 1],
      );
    });
  });

  it('gives a template back as it was inserted and updated, to its company alone', async () => {
    await fixture().run(async (tx) => {
      const [mine, other] = [await makeCompany(tx), await makeCompany(tx)];
      const inserted = await tx.templates.insert(template(mine.id));
      assert(inserted.id > 2);
      assert.deepEqual(await tx.templates.find(mine.id, inserted.id), inserted);
      assert.equal(await tx.templates.find(other.id, inserted.id), null);
      const active: PurchaseTemplate = {
        ...inserted,
        status: 'ACTIVE',
        completes_at_ms: null,
        updated_at_ms: noon_ms + 1,
      };
      await tx.templates.update(active);
      assert.deepEqual(await tx.templates.find(mine.id, inserted.id), active);
      const { transaction_key } = inserted;
      assert.deepEqual((await tx.templates.list(mine.id, { transaction_key }, { limit: 5 })).items, [active]);
      assert.deepEqual((await tx.templates.list(other.id, { transaction_key }, { limit: 5 })).items, []);
      assert.deepEqual(
        (await tx.templates.list(mine.id, {}, { limit: 5 })).items.map(({ id }) => id),
        [active.id, 2, 1],
      );
    });
  });

  it('no longer knows a deleted template, whose name is free again', async () => {
    await fixture().run(async (tx) => {
      const { id } = await makeCompany(tx);
      const first = await tx.templates.insert(template(id, { name: 'Taken' }));
      assert.equal(await tx.templates.nameTaken(id, 'Taken'), true);
      assert.equal(await tx.templates.nameTaken(id, 'taken'), false);
      await tx.templates.update({ ...first, deleted_at_ms: noon_ms });
      assert.equal(await tx.templates.find(id, first.id), null);
      assert.equal(await tx.templates.nameTaken(id, 'Taken'), false);
      await tx.templates.insert(template(id, { name: 'Taken' }));
    });
  });

  it('gives a name to one of those that ask for it at once, and refuses the others by its path', async () => {
    const processes = [fixture().persistence, await fixture().another()];
    const [mine, other] = await fixture().run(async (tx) => [await makeCompany(tx), await makeCompany(tx)]);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) =>
        processes[at % 2]!.unitOfWork.run(async (tx) => {
          const taken = await tx.templates.nameTaken(mine!.id, 'Same');
          return { taken, template: await tx.templates.insert(template(mine!.id, { name: 'Same' })) };
        }),
      ),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      assert(outcome.reason instanceof Refusal, String(outcome.reason));
      assert.deepEqual([outcome.reason.code, outcome.reason.fields[0]?.path], ['validation_failed', 'name']);
    }
    await fixture().run((tx) => tx.templates.insert(template(other!.id, { name: 'Same' })));
  });

  it('gives each due template to one of many claimers, and none before its time', async () => {
    const processes = [fixture().persistence, await fixture().another()];
    const ids = await fixture().run(async (tx) => {
      // What other tests left is not due at this instant.
      const { id } = await makeCompany(tx);
      const made: number[] = [];
      for (let at = 0; at < 10; at += 1)
        made.push((await tx.templates.insert(template(id, { completes_at_ms: at }))).id);
      return made;
    });
    const claimed: number[] = [];
    const complete = (at: number) =>
      processes[at % 2]!.unitOfWork.run(async (tx) => {
        const due = await tx.templates.claimDue(8, 2);
        for (const one of due) await tx.templates.update({ ...one, status: 'ACTIVE', completes_at_ms: null });
        return due.map(({ id }) => id);
      });
    for (let round = 0; round < 5; round += 1) {
      for (const batch of await Promise.all([0, 1, 2, 3].map(complete))) claimed.push(...batch);
    }
    assert.deepEqual(
      claimed.toSorted((a, b) => a - b),
      ids.slice(0, 9),
    );
    await fixture().run(async (tx) => {
      assert.equal(await tx.templates.claim(ids[0]!), null);
      assert.equal((await tx.templates.claim(ids[9]!))?.status, 'PENDING');
      assert.equal(await tx.templates.claim(999_999), null);
    });
  });

  // On SQLite the other transaction holds the whole database.
  if (name === 'postgres') {
    it('passes over no due template that another process is completing: none left means that all are done', async () => {
      const { id } = await fixture().run((tx) => makeCompany(tx));
      await fixture().run((tx) => tx.templates.insert(template(id, { completes_at_ms: 1 })));
      const [held, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holder = fixture().run(async (tx) => {
        const due = await tx.templates.claimDue(1, 100);
        for (const one of due) await tx.templates.update({ ...one, status: 'ACTIVE', completes_at_ms: null });
        held.resolve();
        await ended.promise;
        return due.length;
      });
      await held.promise;
      const other = await fixture().another();
      const claiming = other.unitOfWork.run((tx) => tx.templates.claimDue(1, 100));
      const first = await Promise.race([
        claiming.then(() => 'passed over'),
        untilOneWaits(fixture().database).then(() => 'waited'),
      ]);
      ended.resolve();
      assert.deepEqual([first, await holder, await claiming], ['waited', 1, []]);
    });
  }
});

/** Until a transaction on the database waits for another's row. */
async function untilOneWaits(database: ScratchDatabase): Promise<void> {
  const connection = await connect(database);
  assert(connection.dialect === 'postgres');
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while ((await connection.pool.query(waiting)).rows.length === 0);
  await connection.close();
}

onEveryDatabase('the store of real cards', (fixture) => {
  it('gives a real card back as it was inserted, to its company alone', async () => {
    await fixture().run(async (tx) => {
      const [mine, other] = [await makeCompany(tx), await makeCompany(tx)];
      const details = realCard(mine.id, { network_data_names: ['Purchase Type'], velocity_enabled: false });
      const inserted = await tx.real_cards.insert(details);
      assert.deepEqual(inserted, { ...details, id: inserted.id });
      assert.deepEqual(await tx.real_cards.find(mine.id, inserted.id), inserted);
      assert.equal(await tx.real_cards.find(other.id, inserted.id), null);
      assert.equal(await tx.real_cards.findDefault(mine.id), null);
      assert.deepEqual((await tx.real_cards.list(mine.id, { limit: 5 })).items, [inserted]);
      assert.deepEqual((await tx.real_cards.list(other.id, { limit: 5 })).items, []);
      assert((await tx.real_cards.list(null, { limit: 5 })).items.some(({ id }) => id === inserted.id));
    });
  });

  it('has one default for a company, the last that was made so, however many are made at once', async () => {
    const processes = [fixture().persistence, await fixture().another()];
    const { id } = await fixture().run((tx) => makeCompany(tx));
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        processes[at % 2]!.unitOfWork.run((tx) => tx.real_cards.insert(realCard(id, { is_default: true }))),
      ),
    );
    await fixture().run(async (tx) => {
      const { items } = await tx.real_cards.list(id, { limit: 20 });
      assert.equal(items.length, made.length);
      const defaults = items.filter(({ is_default }) => is_default);
      assert.equal(defaults.length, 1);
      assert.deepEqual(await tx.real_cards.findDefault(id), defaults[0]);
      const next = await tx.real_cards.insert(realCard(id, { is_default: true }));
      assert.equal((await tx.real_cards.findDefault(id))?.id, next.id);
    });
  });
});
