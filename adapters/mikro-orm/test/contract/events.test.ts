import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventStoreContract } from '@tallystick/harness';
import { Refusal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import { keepsContracts } from './contract-suites.ts';
import { noon_ms, onEveryDatabase } from './fixture.ts';

keepsContracts({ EventStore: eventStoreContract(propertyParameters({ short: 25, full: 75 })) });

onEveryDatabase('the event log', (fixture) => {
  it('refuses a cursor whose list or id was changed', async () => {
    const company_id = 3;
    const list = (after?: string) =>
      fixture().persistence.unitOfWork.read((tx) =>
        tx.events.list(company_id, [], { limit: 1, ...(after === undefined ? {} : { after }) }),
      );
    const event = {
      company_id,
      event_type: 'x',
      payload: {},
      previous: null,
      created_at_ms: noon_ms,
      request_id: null,
    };
    await fixture().run((tx) => tx.events.append([event, event]));
    const { next } = await list();
    assert(next !== null);
    const text = Buffer.from(next, 'base64url').toString();
    for (const forged of [text.replace('events', 'companies'), text.replace(/\d+/, '-1'), text.replace(/\d+/, '1e3')]) {
      await assert.rejects(list(Buffer.from(forged).toString('base64url')), (error) => {
        assert(error instanceof Refusal && error.code === 'invalid_query', String(error));
        assert.equal(error.fields[0]?.path, 'after');
        return true;
      });
    }
  });
});
