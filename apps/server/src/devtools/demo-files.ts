import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { StatementHead } from '@tallystick/accounts';
import type { ClearingInput } from '@tallystick/cards';
import { clearing_formats } from '@tallystick/clearing-files';
import { money, Temporal } from '@tallystick/kernel';
import { statement_formats } from '@tallystick/statement-files';
import { dollars, expectBalance, type IssuedCard, type Json, type Purchased, type Scene } from './demo-scene.ts';
import { clearingMessage } from './network-messages.ts';

/** The deposit account of the sandbox's company. */
const account_number = '1000000001';

const unknown_card_id = 999_999_999;

/**
 * The network's clearing file: a clearing that came by message before, a new one for 48.00 of the
 * purchase of 50.00, and one that no card has. Returns the new one.
 */
export async function importClearings(
  scene: Scene,
  cleared: Json,
  card: IssuedCard,
  { message, decision }: Purchased,
): Promise<Json> {
  const { sandbox, narrator, mark, now } = scene;
  narrator.chapter("The network's clearing file of the day");
  const paid = { amount: 48_00, currency: 'USD', at: now };
  const fresh = clearingMessage(message, decision.approval_code, paid, `demo-${mark}-2`);
  const { card_number: _, ...without_number } = clearingMessage(message, null, paid, `demo-${mark}-3`);
  const inputs = [cleared, fresh, { ...without_number, vcn_id: unknown_card_id }];
  const cdf3 = clearing_formats.find(({ name }) => name === 'cdf3');
  const clearings = inputs.map((input) => ({ input: input as unknown as ClearingInput }));
  const bytes = Buffer.concat([...cdf3!.write!({ ...fileHead(scene), mode: 'test', clearings })]);
  const upload = async () => await importFile(scene, `clearings-${mark}.xml`, bytes);
  const first = await upload();
  assert.deepEqual([first.applied, first.duplicates, first.quarantined], [1, 1, 1]);
  narrator.line('The groceries, which came by message before', 'a duplicate');
  narrator.line('48.00 of the 50.00: the remaining 2.00 of the hold is released', 'applied');
  const [record] = (await sandbox.get(`${first.url}/quarantine`, 'operator')).data as Json[];
  assert.equal(record?.reason, 'unknown_card');
  narrator.line(`The third clearing: ${record?.explanation}`, 'quarantined');
  narrator.line('The same file again: nothing changes');
  assert.equal((await upload()).id, first.id);
  await expectBalance(scene, card, 52_00);
  return fresh;
}

/**
 * The bank's statements: one line is as its clearing, and one differs by 0.50. Then authorization,
 * clearing and line are one item, and the difference is a break that the finance team accepts.
 */
export async function reconcile(scene: Scene, clearings: readonly Json[], cards: readonly IssuedCard[]) {
  const { sandbox, narrator, mark } = scene;
  narrator.chapter("The bank's statements: authorization, clearing and line meet");
  const account = (await sandbox.get(`/bank/v1/accounts/${account_number}`, 'bank')).data as Json;
  const last = account.last_statement as Json | null;
  const opening = money(last === null ? 10_000_00 : Number(last.balance));
  let balance = opening;
  const statements = clearings.map((clearing, index) => {
    const booking_date = Temporal.PlainDate.from(String(clearing.settlement_date)).add({ days: 1 }).toString();
    const line = {
      bank_reference: `${mark}${index + 1}`,
      booking_date,
      value_date: booking_date,
      amount: money(-(Number(clearing.billing_amount) + index * 50)),
      bai_code: '821',
      text: `CARD PURCHASE ${String(clearing.merchant_name).toUpperCase()}`,
      acquirer_reference: String(clearing.acquirer_reference_data),
    };
    const head: StatementHead = {
      account_number,
      currency: 'USD',
      reference: null,
      as_of: booking_date,
      opening_balance: balance,
      closing_balance: money(balance + line.amount),
    };
    balance = head.closing_balance;
    return { head, lines: [line] };
  });
  const bai2 = statement_formats.find(({ name }) => name === 'bai2');
  const bytes = Buffer.concat([...bai2!.writeStatements!({ ...fileHead(scene), statements })]);
  const { status, applied } = await importFile(scene, `statements-${mark}.bai`, bytes);
  assert.deepEqual([status, applied], ['completed', clearings.length]);

  const listed = cards.map(({ id }) => sandbox.get(`/v1/reconciliation/items?filter[vcn_id]=${id}`));
  const items = (await Promise.all(listed)).flatMap(({ data }) => data as Json[]);
  const [matched, broken] = clearings.map((clearing) => items.find((item) => item.cleared === clearing.billing_amount));
  assert.deepEqual([matched?.status, matched?.sides, broken?.kind], ['matched', 3, 'amount'], JSON.stringify(items));
  narrator.approved(`Groceries: ${describeItem(matched!)}`, 'matched');
  narrator.declined(`A purchase: ${describeItem(broken!)}`, 'BREAK: amount');

  narrator.chapter('The bridge from balance to balance');
  const [from, to] = [statements[0]!.head.as_of, statements.at(-1)!.head.as_of];
  const filter = `filter[account_id]=${account_number}&filter[booking_date]=[${from},${to}]`;
  const bridge = (await sandbox.get(`/v1/reconciliation/bridge?${filter}`)).data as Readonly<Record<string, number>> & {
    readonly differences: readonly { step: string; kind: string; amount: number }[];
  };
  const differences = bridge.differences.reduce((sum, { amount }) => sum + amount, 0);
  assert.equal(bridge.opening_balance, opening);
  assert.equal(bridge.card_lines, bridge.authorized! + bridge.fees! + differences + bridge.unexplained_sum!);
  assert.equal(bridge.closing_balance, opening + bridge.card_lines + bridge.other_lines!);
  narrator.line('Opening balance', dollars(opening));
  narrator.line('Authorized', dollars(bridge.authorized!));
  for (const { step, kind, amount } of bridge.differences)
    narrator.line(`Difference: ${step}, ${kind}`, dollars(amount));
  narrator.line('Closing balance', dollars(bridge.closing_balance));

  const note = 'The bank refunds 0.50 next month';
  const accepted = (await sandbox.post('client', `${broken!.url}/accept`, { data: { note } })).data as Json;
  narrator.line(`The difference: "${note}"`, String(accepted.status));
}

function fileHead({ now }: Scene) {
  return { sequence: randomInt(1, 99_999), created_on: now.toString().slice(0, 10) };
}

async function importFile({ sandbox, narrator }: Scene, name: string, bytes: Uint8Array): Promise<Json> {
  const imported = (await sandbox.upload('operator', `/operator/v1/imports?name=${name}`, bytes)).data as Json;
  narrator.line(`Import ${imported.id}: ${name}, format ${imported.format}`, String(imported.status));
  return imported;
}

function describeItem({ authorized, cleared, stated }: Json): string {
  return `authorized ${dollars(Number(authorized))}, cleared ${dollars(Number(cleared))}, stated ${dollars(Number(stated))}`;
}
