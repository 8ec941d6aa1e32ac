import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createNetwork, type FreezeMessage, type Network } from '@tallystick/cards';
import { database_names, type ScratchDatabase } from '@tallystick/test-support';
import {
  authorizationMessage,
  type OpenLedger,
  openLedger,
  plain_quarantine,
  run,
  seededDatabase,
} from './ledger-fixture.ts';

/** Cards of each race. */
const races = 12;

for (const name of database_names) {
  describe(`a freeze on ${name}, in a race of two processes`, () => {
    let database: ScratchDatabase;
    let here: OpenLedger;
    let there: OpenLedger;

    before(async () => {
      database = await seededDatabase(name, 2 * races);
      here = await openLedger(database.database_url);
      there = await openLedger(database.database_url);
    });
    after(async () => {
      await here?.close();
      await there?.close();
      await database?.dispose();
    });

    /** Runs freezes and their rivals on each card of the race, on both processes. */
    async function race(first_id: number, work: (networks: readonly Network[], card_id: number) => Promise<void>) {
      const networks = [networkOf(here), networkOf(there)];
      const ids = Array.from({ length: races }, (_, at) => first_id + at);
      await Promise.all(ids.map((id) => work(id % 2 === 0 ? networks : networks.toReversed(), id)));
      for (const network of networks) await network.drain();
    }

    it('and other freezes: one changes the card, with one event, one audit entry and one version', async () => {
      await race(1, async (networks, id) => {
        const answers = await Promise.all(networks.flatMap((one) => [one.freeze(freeze(id)), one.freeze(freeze(id))]));
        assert.ok(answers.every(({ kind }) => kind === 'answered'));
        assert.deepEqual(await recorded(here, id), { controls_version: 2, is_frozen: true, events: 1, audited: 1 });
      });
    });

    it('and requests: what is decided after it is declined, in the order of the events', async () => {
      await race(1 + races, async ([one, other], id) => {
        const request = (at: number) =>
          authorizationMessage(id, { trace_id: `T-${id}-${at}`, system_trace_audit_number: `00000${at}` });
        await Promise.all([other!.authorize(request(1)), one!.freeze(freeze(id)), other!.authorize(request(2))]);
        await other!.authorize(request(3));
        const rows = await run(
          here.connection,
          `select e.event_type, a.decline_code from tallystick_events e
             left join tallystick_authorizations a on e.event_type = 'virtualcard.realtime.auths' and e.payload_id = cast(a.id as text)
             where a.card_id = ${id} or (e.event_type = 'virtualcard.updated' and e.payload_id = '${id}') order by e.id`,
        );
        const at = rows.findIndex(({ event_type }) => event_type === 'virtualcard.updated');
        assert.equal(rows.length, 4);
        for (const [place, { decline_code }] of rows.entries()) {
          if (place !== at) assert.equal(decline_code, place < at ? null : 'K', `${id}: ${JSON.stringify(rows)}`);
        }
      });
    });
  });
}

function networkOf({ ledger }: OpenLedger): Network {
  const random = { below: () => 1, bytes: (count: number) => new Uint8Array(count) };
  return createNetwork({ ledger, random, vault: { cvcMatches: () => true }, ...plain_quarantine });
}

function freeze(vcn_id: number): FreezeMessage {
  const by = { company_id: 1, note: null, actor: 'key:1', request_id: null } as const;
  return { kind: 'freeze', number_index: null, vcn_id, frozen: true, ...by };
}

async function recorded({ connection }: OpenLedger, id: number) {
  const [card] = await run(
    connection,
    `select controls_version, frozen_at_ms from tallystick_virtual_cards where id = ${id}`,
  );
  const events = await run(
    connection,
    `select id from tallystick_events where event_type = 'virtualcard.updated' and payload_id = '${id}'`,
  );
  const audited = await run(
    connection,
    `select id from tallystick_audit_entries where action = 'card.frozen' and "object" = 'virtualcard:${id}'`,
  );
  const { controls_version, frozen_at_ms } = card!;
  return {
    controls_version: Number(controls_version),
    is_frozen: frozen_at_ms !== null,
    events: events.length,
    audited: audited.length,
  };
}
