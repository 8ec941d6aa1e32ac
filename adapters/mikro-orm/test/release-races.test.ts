import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type ClearingAnswer,
  createNetwork,
  type Network,
  type ReleaseAnswer,
  type ReleaseMessage,
  sweepHolds,
} from '@tallystick/cards';
import { fixedClock, money } from '@tallystick/kernel';
import { database_names, type ScratchDatabase } from '@tallystick/test-support';
import {
  authorizationMessage,
  clearingMessage,
  noon_ms,
  type OpenLedger,
  openLedger,
  plain_quarantine,
  run,
  seededDatabase,
} from './ledger-fixture.ts';

/** Cards of each race: enough that each side wins now and then. */
const races = 12;
const kinds = ['release', 'clearing', 'increment', 'reversal', 'sweep'] as const;
const amount = 100;

for (const name of database_names) {
  describe(`a release on ${name}, in a race of two processes`, () => {
    let database: ScratchDatabase;
    let here: OpenLedger;
    let there: OpenLedger;

    before(async () => {
      database = await seededDatabase(name, races * kinds.length);
      here = await openLedger(database.database_url);
      there = await openLedger(database.database_url);
    });
    after(async () => {
      await here?.close();
      await there?.close();
      await database?.dispose();
    });

    /** Runs the release and its rival on each card of the race, in both orders of sending. */
    async function race<Rival>(
      kind: (typeof kinds)[number],
      rival: (network: Network, card_id: number) => Promise<Rival>,
      check: (card: CardAfter, released: boolean, rival: Rival) => void,
    ): Promise<void> {
      const networks = [networkOf(here), networkOf(there)] as const;
      const first_id = 1 + kinds.indexOf(kind) * races;
      await Promise.all(
        Array.from({ length: races }, async (_, at) => {
          const card_id = first_id + at;
          const [one, other] = at % 2 === 0 ? networks : networks.toReversed();
          const request = authorizationMessage(card_id, { billing_amount: money(amount), trace_id: `T-${card_id}` });
          const answer = await one!.authorize(request);
          assert(answer.kind === 'answered' && answer.item.id !== null);
          const message = release(card_id, answer.item.id);
          const earlier = at % 3 === 0 ? rival(other!, card_id) : null;
          const [released, result] = await Promise.all([one!.release(message), earlier ?? rival(other!, card_id)]);
          const card = await read(here, card_id);
          const is_released = released.kind === 'answered';
          assert.equal(card.held, card.held_by_rows, 'the counter is what the rows hold');
          check(card, is_released, result);
        }),
      );
      for (const network of networks) await network.drain();
    }

    it('and another release: exactly one ends the hold', async () => {
      await race(
        'release',
        async (network, card_id) => {
          const { id } = await read(here, card_id);
          return await network.release(release(card_id, id));
        },
        (card, released, rival: ReleaseAnswer) => {
          assert.equal(rival.kind, released ? 'refused' : 'answered');
          assert.deepEqual(card, afterRelease(card.id));
        },
      );
    });

    it('and the clearing: both count once, whichever is first', async () => {
      await race(
        'clearing',
        (network, card_id) =>
          network.clear(
            clearingMessage(card_id, {
              network_financial_transaction_id: `F-${card_id}`,
              billing_amount: money(amount),
              merchant_amount: money(amount),
              net_reference_number: 'MCC1234560520',
              approval_code: null,
              settlement_date: '2026-05-21',
            }),
          ),
        (card, released, rival: ClearingAnswer) => {
          assert(rival.kind === 'answered' && rival.item.authorization_id === card.id);
          assert.equal(rival.item.class === 'late', released, 'a clearing after the release is late');
          const none = { releases: 0, released_amount: null, audited: 0 };
          const expected = { ...afterRelease(card.id), status: 'cleared', cleared: amount };
          assert.deepEqual(card, released ? expected : { ...expected, ...none });
        },
      );
    });

    it('and an increment: what is released is what was held', async () => {
      await race(
        'increment',
        (network, card_id) =>
          network.authorize(
            authorizationMessage(card_id, {
              billing_amount: money(50),
              incremental: true,
              trace_id: `T-${card_id}`,
              system_trace_audit_number: '000002',
            }),
          ),
        (card, released) => {
          assert.equal(released, true);
          const increased = card.released_amount === amount + 50;
          assert.deepEqual([card.held, card.uses], increased ? [0, 1] : [50, 2]);
        },
      );
    });

    it('and a reversal in full: the hold ends once', async () => {
      await race(
        'reversal',
        (network, card_id) =>
          network.authorize(authorizationMessage(card_id, { message_type: '0400', trace_id: `T-${card_id}` })),
        (card, released) => {
          assert.deepEqual(
            [card.held, card.uses, card.status, card.releases],
            released ? [0, 0, 'released', 1] : [0, 0, 'reversed', 0],
          );
        },
      );
    });

    it('and the sweep of the ended hold: the hold has ended by itself', async (t) => {
      const networks = networkOf(here);
      const first_id = 1 + kinds.indexOf('sweep') * races;
      const ids = Array.from({ length: races }, (_, at) => first_id + at);
      for (const card_id of ids) await networks.authorize(authorizationMessage(card_id, { trace_id: `T-${card_id}` }));
      const later = fixedClock(noon_ms + 31 * 86_400_000);
      const [one, other] = [
        await openLedger(database.database_url, later),
        await openLedger(database.database_url, later),
      ];
      t.after(() => Promise.all([one.close(), other.close()]));
      const network = networkOf(one);
      const releases = await Promise.all(
        ids.map(async (card_id) => {
          const { id } = await read(here, card_id);
          const [answer] = await Promise.all([network.release(release(card_id, id)), sweepHolds(other.ledger, 5)]);
          return answer.kind === 'refused' ? answer.refusal.code : answer.kind;
        }),
      );
      assert.deepEqual(new Set(releases), new Set(['conflict']));
      for (const card_id of ids) {
        const { status, held, held_by_rows, releases } = await read(here, card_id);
        assert.deepEqual([status, held, held_by_rows, releases], ['expired', 0, 0, 0]);
      }
    });
  });
}

/** What is recorded of a card with one authorization. */
interface CardAfter {
  readonly id: number;
  readonly status: string;
  readonly held: number;
  readonly held_by_rows: number;
  readonly cleared: number;
  readonly uses: number;
  /** Events of a release, the amount of the last of them, and audit entries. */
  readonly releases: number;
  readonly released_amount: number | null;
  readonly audited: number;
}

/** A card whose only hold was released. */
function afterRelease(id: number): CardAfter {
  const nothing = { held: 0, held_by_rows: 0, cleared: 0 };
  return { id, status: 'released', ...nothing, uses: 1, releases: 1, released_amount: amount, audited: 1 };
}

async function read({ connection }: OpenLedger, card_id: number): Promise<CardAfter> {
  const [card] = await run(
    connection,
    `select held, cleared, uses from tallystick_virtual_cards where id = ${card_id}`,
  );
  const rows = await run(
    connection,
    `select id, status, held from tallystick_authorizations where card_id = ${card_id} order by id`,
  );
  const events = await run(
    connection,
    `select payload from tallystick_events where event_type = 'virtualcard.updated' and payload_id = '${card_id}'`,
  );
  const audited = await run(
    connection,
    `select 1 from tallystick_audit_entries where action = 'hold.released' and "object" = 'virtualcard:${card_id}'`,
  );
  const last = events.at(-1);
  return {
    id: Number(rows[0]?.id),
    status: String(rows[0]?.status),
    held: Number(card?.held),
    held_by_rows: rows.reduce((sum, { held }) => sum + Number(held), 0),
    cleared: Number(card?.cleared),
    uses: Number(card?.uses),
    releases: events.length,
    released_amount: last === undefined ? null : JSON.parse(String(last.payload)).released.amount,
    audited: audited.length,
  };
}

function release(vcn_id: number, authorization_id: number): ReleaseMessage {
  return {
    kind: 'release',
    number_index: null,
    vcn_id,
    authorization_id,
    company_id: 1,
    note: 'race',
    actor: 'key:1',
    request_id: null,
  };
}

function networkOf({ ledger }: OpenLedger): Network {
  const random = { below: () => 1_234_567, bytes: (count: number) => new Uint8Array(count) };
  return createNetwork({ ledger, vault: { cvcMatches: () => true }, random, ...plain_quarantine });
}
