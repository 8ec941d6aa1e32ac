import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { hostWorld } from './host-world.ts';

for (const name of ['sqlite', 'postgres'] as const)
  test(name, async () => {
    const world = await hostWorld(name);
    const own = await world.persistence.begin();
    const card = await world.issue(world.persistence.joining(own.host));
    await own.rollback();
    await assert.rejects(own.host.execute({ text: 'select 1', values: [] }), { name: 'UnusableTransaction' });
    const second = await world.persistence.begin();
    await world.issue(world.persistence.joining(second.host));
    const again = await world.issue(world.persistence.joining(second.host));
    await second.commit();
    await assert.rejects(second.commit(), { name: 'UnusableTransaction' });
    const third = await world.persistence.begin({ ms_max: 20 });
    await world.issue(world.persistence.joining(third.host));
    await delay(100);
    await assert.rejects(world.issue(world.persistence.joining(third.host)), { name: 'UnusableTransaction' });
    await assert.rejects(third.commit(), { name: 'UnusableTransaction' });
    console.log(card.card.id, again.card.id);
    await world.dispose();
  });
