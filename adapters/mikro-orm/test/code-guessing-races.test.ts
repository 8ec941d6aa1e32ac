import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AuthorizationAnswer, code_failures_max, createNetwork, type Network } from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import { database_names, type ScratchDatabase } from '@tallystick/test-support';
import {
  authorizationMessage,
  type OpenLedger,
  openLedger,
  plain_quarantine,
  run,
  seededDatabase,
} from './ledger-fixture.ts';

const guesses = 200;
const right_code = '123';

for (const name of database_names) {
  describe(`${guesses} guesses at a code at the same time, on ${name}`, () => {
    let database: ScratchDatabase;
    const open: OpenLedger[] = [];
    let sent = 0;
    before(async () => {
      database = await seededDatabase(name, 4);
      for (let count = 0; count < 3; count += 1) open.push(await openLedger(database.database_url));
    });
    after(async () => {
      for (const one of open) await one.close();
      await database?.dispose();
    });

    /**
     * Sends the codes over all processes, and returns the answers and how many codes were compared.
     */
    async function send(card_id: number, codes: readonly (string | null)[], batch_max: number) {
      let compared = 0;
      const cvcMatches = (_pan: unknown, _expiry: unknown, cvc: string) => {
        compared += 1;
        return cvc === right_code;
      };
      const random = { below: () => 1_234_567, bytes: (count: number) => new Uint8Array(count) };
      const networks = open.map(({ ledger }): Network => {
        return createNetwork({ ledger, vault: { cvcMatches }, random, batch_max, ...plain_quarantine });
      });
      const answers = await Promise.all(
        codes.map((cvc, at) => {
          sent += 1;
          const message_type = at % 2 === 0 ? ('0100' as const) : ('0120' as const);
          const fields = { cvc, billing_amount: money(0), trace_id: `T-${sent}`, message_type };
          return networks[at % networks.length]!.authorize(authorizationMessage(card_id, fields));
        }),
      );
      for (const network of networks) await network.drain();
      return { answers, compared };
    }

    /** The reason that the answer shows: of the decline, or the one that an advice broke. */
    function reasonOf(answer: AuthorizationAnswer): string | null {
      assert(answer.kind === 'answered');
      assert.notEqual(answer.item.decline_reason, 'U');
      return answer.item.decline_reason ?? answer.item.broken_reason;
    }

    for (const [card_id, batch_max] of [
      [1, 1],
      [2, 7],
      [3, 256],
    ] as const) {
      it(`compares ${code_failures_max} of them, in passes of up to ${batch_max} messages`, async () => {
        const wrong = Array.from({ length: guesses }, (_, at) => String(200 + at));
        const { answers, compared } = await send(card_id, wrong, batch_max);
        assert.deepEqual(new Set(answers.map(reasonOf)), new Set(['C']));
        assert.equal(compared, code_failures_max);
        const [card] = await run(
          open[0]!.connection,
          `select code_failures, code_failures_on from tallystick_virtual_cards where id = ${card_id}`,
        );
        assert.equal(Number(card?.code_failures), code_failures_max);
        const updates = await run(
          open[0]!.connection,
          `select payload from tallystick_events where event_type = 'virtualcard.updated' order by id`,
        );
        const of_card = updates.map(({ payload }) => JSON.parse(String(payload))).filter(({ id }) => id === card_id);
        assert.deepEqual(
          of_card.map(({ code_failures }) => code_failures),
          [code_failures_max],
        );
        const later = await send(card_id, [right_code, null], batch_max);
        assert.deepEqual([later.answers.map(reasonOf), later.compared], [['C', null], 0]);
      });
    }
  });
}
