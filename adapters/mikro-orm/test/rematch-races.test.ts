import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type AuthorizationMessage,
  type Clearing,
  type ClearingMessage,
  createNetwork,
  matchMakerOf,
  type Network,
  type RematchAnswer,
  type RematchMessage,
} from '@tallystick/cards';
import { rematchMessage } from '@tallystick/harness';
import { money } from '@tallystick/kernel';
import { database_names, propertyParameters, type ScratchDatabase } from '@tallystick/test-support';
import fc from 'fast-check';
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
const kinds = ['match', 'confirm', 'arrival', 'clearing', 'release'] as const;
const property_cards = 400;
const first_of_property = 1 + races * kinds.length;

/** An advice, so that its approval code is known. No reference leads to it. */
function advice(trace: number, fields: Partial<AuthorizationMessage> = {}): Partial<AuthorizationMessage> {
  return {
    message_type: '0120',
    trace_id: `T${trace}`,
    approval_code: `A0000${trace}`,
    net_reference_number: null,
    merchant_id: 'M',
    transaction_date_time_ms: noon_ms + trace,
    ...fields,
  };
}

function clearing(id: string, fields: Partial<ClearingMessage> = {}): Partial<ClearingMessage> {
  return {
    network_financial_transaction_id: id,
    acquirer_reference_data: id,
    approval_code: null,
    net_reference_number: null,
    merchant_id: 'M',
    merchant_amount: null,
    ...fields,
  };
}

for (const name of database_names) {
  describe(`matches by hand on ${name}`, () => {
    let database: ScratchDatabase;
    let here: OpenLedger;
    let there: OpenLedger;
    let networks: readonly [Network, Network];

    before(async () => {
      const limits = { total_card_amount: 1_000_000, per_transaction_max: 1_000_000, recurring: 'Daily' };
      database = await seededDatabase(name, races * kinds.length + property_cards, limits);
      here = await openLedger(database.database_url);
      there = await openLedger(database.database_url);
      networks = [networkOf(here), networkOf(there)];
    });
    after(async () => {
      for (const network of networks ?? []) await network.drain();
      await here?.close();
      await there?.close();
      await database?.dispose();
    });

    const query = (sql: string) => run(here.connection, sql);

    async function authorize(
      network: Network,
      card_id: number,
      fields: Partial<AuthorizationMessage>,
    ): Promise<number> {
      const answer = await network.authorize(authorizationMessage(card_id, fields));
      assert(answer.kind === 'answered' && answer.item.id !== null);
      return answer.item.id;
    }

    async function clear(network: Network, card_id: number, fields: Partial<ClearingMessage>): Promise<number> {
      const id = `${fields.network_financial_transaction_id}-${card_id}`;
      const message = clearingMessage(card_id, { ...fields, network_financial_transaction_id: id });
      const answer = await network.clear(message);
      assert(answer.kind === 'answered');
      return answer.item.id;
    }

    /** Everything of a card that matches change, and that its rows and counters agree. */
    async function rowsOf(card_id: number) {
      const [card] = await query(
        `select held, cleared, uses, provisional_clearings from tallystick_virtual_cards where id = ${card_id}`,
      );
      const roots = await query(
        `select id, status, authorized, held, cleared, uses, uncleared_status, uncleared_uses
           from tallystick_authorizations where card_id = ${card_id} and root_id = id order by id`,
      );
      const clearings = await query(
        `select id, authorization_id, clearing_id, match_rule, review, class, window_start_ms, cleared_effect, uses, sent,
             choices, authorization_date, net_reference_number
           from tallystick_clearings where card_id = ${card_id} order by id`,
      );
      const windows = await query(
        `select window_start_ms, held, cleared, uses from tallystick_card_windows
           where card_id = ${card_id} and (held <> 0 or cleared <> 0 or uses <> 0) order by window_start_ms`,
      );
      const sum = (rows: typeof roots, column: string) => rows.reduce((all, row) => all + Number(row[column]), 0);
      const [own] = await query(`select window_start_ms from tallystick_virtual_cards where id = ${card_id}`);
      const in_window = clearings.filter((row) => Number(row.window_start_ms) === Number(own?.window_start_ms));
      if (windows.length === 0 && in_window.length === clearings.length) {
        assert.equal(Number(card?.held), sum(roots, 'held'), 'the counter is what the rows hold');
        assert.equal(Number(card?.cleared), sum(clearings, 'cleared_effect'), 'the counter is what has cleared');
        assert.equal(Number(card?.uses), sum(roots, 'uses') + sum(clearings, 'uses'), 'the counter is what was used');
      }
      return { card, roots, clearings, windows };
    }

    async function audited(clearing_id: number): Promise<readonly unknown[]> {
      const rows = await query(
        `select action from tallystick_audit_entries where "object" = 'clearing:${clearing_id}' and actor <> 'network' order by id`,
      );
      return rows.map(({ action }) => action);
    }

    /** Runs the two on each card of the race, on two processes, in both orders of sending. */
    async function race<One, Other>(
      kind: (typeof kinds)[number],
      prepare: (
        network: Network,
        card_id: number,
      ) => Promise<{
        one: (network: Network) => Promise<One>;
        other: (network: Network) => Promise<Other>;
        check: (one: One, other: Other) => Promise<void>;
      }>,
    ): Promise<void> {
      const first_id = 1 + kinds.indexOf(kind) * races;
      await Promise.all(
        Array.from({ length: races }, async (_, at) => {
          const [mine, yours] = at % 2 === 0 ? networks : networks.toReversed();
          const { one, other, check } = await prepare(mine!, first_id + at);
          const earlier = at % 3 === 0 ? other(yours!) : null;
          const [first, second] = await Promise.all([one(mine!), earlier ?? other(yours!)]);
          await check(first, second);
        }),
      );
    }

    /** Exactly one of the two was done. Returns the refusal of the other. */
    function refusalOfOne(answers: readonly RematchAnswer[]) {
      const refused = answers.flatMap((answer) => (answer.kind === 'refused' ? [answer.refusal] : []));
      assert.equal(refused.length, 1, 'one of two is refused');
      assert.equal(refused[0]?.code, 'conflict');
      return refused[0]!;
    }

    it('two people match a clearing at once: one wins, and the other is refused with what happened', async () => {
      await race<RematchAnswer, RematchAnswer>('match', async (network, card_id) => {
        const roots = [await authorize(network, card_id, advice(1)), await authorize(network, card_id, advice(2))];
        const id = await clear(network, card_id, clearing('F1', { merchant_id: 'N' }));
        const to = (at: number) => (its: Network) => its.rematch(rematchMessage(card_id, id, roots[at]!));
        return {
          one: to(0),
          other: to(1),
          check: async (first, second) => {
            const refusal = refusalOfOne([first, second]);
            const { clearings, roots: after } = await rowsOf(card_id);
            const winner = first.kind === 'answered' ? roots[0] : roots[1];
            assert.equal(Number(clearings[0]?.authorization_id), winner);
            assert.match(refusal.message, new RegExp(`matched to authorization ${winner} by a person`));
            assert.deepEqual(after.map(({ status }) => status).sort(), ['cleared', 'open']);
            assert.deepEqual(await audited(id), ['clearing.matched_by_hand']);
          },
        };
      });
    });

    it('one person confirms what another takes away: one wins', async () => {
      await race('confirm', async (network, card_id) => {
        const root_id = await authorize(network, card_id, advice(1));
        const id = await clear(network, card_id, clearing('F1'));
        const seen = { expected_authorization_id: root_id };
        return {
          one: (its) => its.rematch(rematchMessage(card_id, id, root_id, { ...seen, is_confirmation: true })),
          other: (its) => its.rematch(rematchMessage(card_id, id, null, seen)),
          check: async (confirmed, taken) => {
            refusalOfOne([confirmed, taken]);
            const is_taken = taken.kind === 'answered';
            const action = is_taken ? 'clearing.unmatched_by_hand' : 'clearing.match_confirmed';
            assert.deepEqual(await audited(id), [action]);
            const { roots } = await rowsOf(card_id);
            assert.equal(roots[0]?.status, is_taken ? 'open' : 'cleared');
          },
        };
      });
    });

    it('a match by hand and the authorization that the reference names: the match stands', async () => {
      await race('arrival', async (network, card_id) => {
        const chosen_id = await authorize(network, card_id, advice(1));
        const reference = { net_reference_number: 'MCCABC1230520' };
        const id = await clear(network, card_id, clearing('F1', { ...reference, merchant_id: 'N' }));
        return {
          one: (its) => its.rematch(rematchMessage(card_id, id, chosen_id)),
          other: (its) => authorize(its, card_id, advice(2, reference)),
          check: async (matched, arrived_id) => {
            const { clearings, roots } = await rowsOf(card_id);
            const belongs_to = Number(clearings[0]?.authorization_id);
            assert.equal(belongs_to, matched.kind === 'answered' ? chosen_id : arrived_id);
            const open = roots.filter(({ status }) => status === 'open').map((root) => Number(root.id));
            assert.deepEqual(open, [matched.kind === 'answered' ? arrived_id : chosen_id]);
          },
        };
      });
    });

    it('a match by hand and another clearing of the same authorization: the same as one after the other', async () => {
      const outcomes = new Set<string>();
      await race('clearing', async (network, card_id) => {
        const root_id = await authorize(network, card_id, advice(1));
        const id = await clear(network, card_id, clearing('F1', { merchant_id: 'N', billing_amount: money(4) }));
        return {
          one: (its) => its.rematch(rematchMessage(card_id, id, root_id)),
          other: (its) =>
            clear(its, card_id, clearing('F2', { approval_code: 'A00001', settlement_date: '2026-05-21' })),
          check: async (matched) => {
            assert.equal(matched.kind, 'answered');
            const { clearings, roots } = await rowsOf(card_id);
            const classes = clearings.map((row) => `${row.class} ${row.match_rule}`).join();
            outcomes.add(`${classes} ${roots[0]?.status} ${roots[0]?.cleared} ${roots[0]?.held}`);
          },
        };
      });
      assert.equal(outcomes.size, 1, [...outcomes].join('\n'));
    });

    it('a match by hand and the release of the hold: what is released was held', async () => {
      await race('release', async (network, card_id) => {
        const root_id = await authorize(network, card_id, advice(1));
        const id = await clear(network, card_id, clearing('F1', { merchant_id: 'N', settlement_date: '2026-05-21' }));
        const release = { kind: 'release', number_index: null, vcn_id: card_id, authorization_id: root_id } as const;
        return {
          one: (its) => its.rematch(rematchMessage(card_id, id, root_id)),
          other: (its) => its.release({ ...release, company_id: 1, note: 'race', actor: 'key:1', request_id: null }),
          check: async (matched, released) => {
            assert.equal(matched.kind, 'answered');
            const { clearings, roots } = await rowsOf(card_id);
            assert.equal(clearings[0]?.class, released.kind === 'answered' ? 'late' : 'exact');
            assert.deepEqual([roots[0]?.status, Number(roots[0]?.held)], ['cleared', 0]);
          },
        };
      });
    });

    it('undone in reverse order end in the very same rows, with their acts and audit entries', async () => {
      let card_id = first_of_property - 1;
      const planned = fc.array(
        fc.record({
          kind: fc.constantFrom('match', 'match', 'unmatch', 'confirm'),
          clearing: fc.nat({ max: 4 }),
          root: fc.nat({ max: 2 }),
        }),
        { minLength: 1, maxLength: 6 },
      );
      let done_count = 0;
      await fc.assert(
        fc.asyncProperty(planned, async (acts) => {
          card_id = card_id + 1 === first_of_property + property_cards ? first_of_property : card_id + 1;
          const [known] = await query(`select count(*) as count from tallystick_clearings where card_id = ${card_id}`);
          if (Number(known?.count) === 0) await prepareCard(card_id);
          const { clearings, roots } = await rowsOf(card_id);
          const states = [await rowsOf(card_id)];
          const done: RematchMessage[] = [];
          for (const { kind, clearing: at, root } of acts) {
            const id = Number(clearings[at % clearings.length]!.id);
            const present = presentOf(states.at(-1)!, id);
            const chosen =
              kind === 'match' ? Number(roots[root % roots.length]!.id) : kind === 'confirm' ? present : null;
            const message = rematchMessage(card_id, id, chosen, {
              is_confirmation: kind === 'confirm',
              ...seen(states.at(-1)!, id),
              act: { ...act, item_id: id * 4 + 1, action: kind },
            });
            if ((await networks[done.length % 2]!.rematch(message)).kind === 'refused') continue;
            done.push(message);
            states.push(await rowsOf(card_id));
          }
          done_count += done.length;
          for (const message of done.toReversed()) {
            const was = states.at(-2)!;
            const [match] = message.matches;
            const undone = {
              ...match!,
              authorization_id: match!.authorization_id === null ? presentOf(was, match!.clearing_id) : null,
              ...seen(states.at(-1)!, match!.clearing_id),
            };
            const undo = { ...message, matches: [undone], act: null };
            const answer = await networks[0].rematch(undo);
            assert.equal(answer.kind, 'answered', answer.kind === 'refused' ? answer.refusal.message : '');
            states.pop();
            assert.deepEqual(await rowsOf(card_id), was);
          }
        }),
        { ...propertyParameters({ short: 60, full: 80 }), endOnFailure: true },
      );
      const [recorded] = await query('select count(*) as count from tallystick_reconciliation_acts');
      assert.equal(Number(recorded?.count), done_count, 'each act was recorded once, and no refused one');
      assert.ok(done_count > 0);
    });

    /** Authorizations and clearings whose matches depend on one another, on two days. */
    async function prepareCard(card_id: number): Promise<void> {
      const [network] = networks;
      await authorize(network, card_id, advice(1, { billing_amount: money(20), merchant_amount: money(20) }));
      await clear(network, card_id, clearing('F1', { settlement_date: '2026-05-21' }));
      await clear(network, card_id, clearing('F2', { approval_code: 'A00002' }));
      await authorize(network, card_id, advice(2));
      await authorize(network, card_id, advice(3, { net_reference_number: 'MCCABC1230520' }));
      await clear(network, card_id, clearing('F3', { net_reference_number: 'MCCABC1230520', partial: true }));
      await clear(network, card_id, clearing('F4', { clearing_type: 'CREDIT', billing_amount: money(4) }));
      const undone = { cycle: 'reversal', clearing_type: 'CREDIT', acquirer_reference_data: 'F3' } as const;
      await clear(network, card_id, clearing('F5', { ...undone, settlement_date: '2026-05-22' }));
    }
  });
}

type Rows = { readonly clearings: readonly Record<string, unknown>[] };

function presentOf({ clearings }: Rows, clearing_id: Clearing['id']): number | null {
  const id = clearings.find((row) => Number(row.id) === clearing_id)?.authorization_id ?? null;
  return id === null ? null : Number(id);
}

/** What a person sees of the match of a clearing. */
function seen(rows: Rows, clearing_id: number) {
  const row = rows.clearings.find(({ id }) => Number(id) === clearing_id);
  const expected_matched_by = matchMakerOf({ match_rule: Number(row?.match_rule) });
  return { expected_authorization_id: presentOf(rows, clearing_id), expected_matched_by };
}

const act = {
  company_id: 1,
  actor: 'key:1',
  subject: '{"fingerprint":"","pairs":[],"authorization":null}',
  note: 'by hand',
  reason: null,
  request_id: null,
};

function networkOf({ ledger }: OpenLedger): Network {
  const random = { below: () => 1_234_567, bytes: (count: number) => new Uint8Array(count) };
  return createNetwork({ ledger, vault: { cvcMatches: () => true }, random, ...plain_quarantine });
}
