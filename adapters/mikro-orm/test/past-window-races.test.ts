import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type AuthorizationMessage,
  type ClearingMessage,
  foldMessages,
  type NetworkAnswer,
  type PassPorts,
} from '@tallystick/cards';
import { money } from '@tallystick/kernel';
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

const day_ms = 86_400_000;
const yesterday_ms = noon_ms - day_ms / 2;
const today_ms = noon_ms + day_ms / 2;

const total = 1_000;
const reference = 'MCCABC1230519';
const increment_count = 48;
const part_count = 12;
/** Messages that race at a time: few enough that none waits for its card longer than a pass may. */
const racing = 12;

for (const name of database_names) {
  describe(`messages about a window that is over, from two processes on ${name}`, () => {
    let database: ScratchDatabase;
    let ledgers: readonly OpenLedger[] = [];
    let now_ms = noon_ms;

    before(async () => {
      database = await seededDatabase(name, 1, { recurring: 'Daily', per_transaction_max: 5_000 });
      const clock = { nowMs: () => now_ms };
      ledgers = [await openLedger(database.database_url, clock), await openLedger(database.database_url, clock)];
    });
    after(async () => {
      for (const ledger of ledgers) await ledger.close();
      await database?.dispose();
    });

    let sent = 0;
    const send = async (message: AuthorizationMessage | ClearingMessage): Promise<NetworkAnswer> => {
      sent += 1;
      const { ledger } = ledgers[sent % ledgers.length]!;
      const [answer] = await ledger.pass([message], (state) => foldMessages(state, [message], ports));
      return answer!;
    };

    const card_id = 1;
    it('approve exactly what that window has left', async () => {
      now_ms = noon_ms;
      const trace_id = `T-${card_id}`;
      const of_root = { trace_id, net_reference_number: reference };
      await send(authorizationMessage(card_id, { ...of_root, billing_amount: money(400) }));
      now_ms = noon_ms + day_ms;
      await send(authorizationMessage(card_id, { trace_id: `${trace_id}-today` }));

      const increments = Array.from({ length: increment_count }, (_, at) =>
        authorizationMessage(card_id, {
          ...of_root,
          incremental: true,
          system_trace_audit_number: String(at),
          billing_amount: money(20),
        }),
      );
      const parts = Array.from({ length: part_count }, (_, at) =>
        clearingMessage(card_id, {
          net_reference_number: reference,
          network_financial_transaction_id: `F-${card_id}-${at}`,
          approval_code: null,
          acquirer_reference_data: null,
          partial: true,
        }),
      );
      const messages = increments.flatMap((increment, at) => [increment, ...parts.slice(at, at + 1)]);
      const answers: NetworkAnswer[] = [];
      for (let at = 0; at < messages.length; at += racing) {
        answers.push(...(await Promise.all(messages.slice(at, at + racing).map(send))));
      }
      const codes = answers.flatMap((answer) => ('code' in answer ? [answer.code] : []));
      const approved = codes.filter((code) => code === 'V').length;
      assert.equal(approved, (total - 400) / 20);
      assert.equal(codes.filter((code) => code === 'F').length, increment_count - approved);

      const [window] = await run(
        ledgers[0]!.connection,
        `select held, cleared, uses from tallystick_card_windows where card_id = ${card_id} and window_start_ms = ${yesterday_ms}`,
      );
      const cleared = part_count * 10;
      assert.deepEqual(numbersOf(window), { held: total - cleared, cleared, uses: 1 });
      const [root] = await run(
        ledgers[0]!.connection,
        `select held, cleared, authorized from tallystick_authorizations where card_id = ${card_id} and trace_id = '${trace_id}' and incremental = ${name === 'sqlite' ? 0 : false}`,
      );
      assert.deepEqual(numbersOf(root), { held: total - cleared, cleared, authorized: total });
      const [card] = await run(
        ledgers[0]!.connection,
        `select window_start_ms, held, cleared, uses from tallystick_virtual_cards where id = ${card_id}`,
      );
      assert.deepEqual(numbersOf(card), { window_start_ms: today_ms, held: 10, cleared: 0, uses: 1 });
    });
  });
}

const ports: PassPorts = {
  ...plain_quarantine,
  vault: { cvcMatches: () => true },
  random: { below: () => 7, bytes: (count) => new Uint8Array(count) },
};

/** A row with its columns as numbers. */
function numbersOf(row: Record<string, unknown> | undefined): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(row ?? {}).map(([column, value]) => [column, Number(value)]));
}
