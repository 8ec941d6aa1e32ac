import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { ReportedLine, StatementHead } from '@tallystick/accounts';
import { type Money, money } from '@tallystick/kernel';
import { statement_formats } from '@tallystick/statement-files';
import { dollars, type IssuedCard, type Scene } from './demo-scene.ts';
import type { Json } from './sandbox-client.ts';

/** The clearings of the story that the bank has booked. */
export interface BookedClearings {
  /** The groceries: 118.50 of 120.00. */
  readonly groceries: Json;
  /** 48.00 of 50.00. */
  readonly open_purchase: Json;
  readonly cards: readonly IssuedCard[];
}

/** The deposit account of the sandbox's company. */
const account_number = '1000000001';

/** The bank books the second clearing with this much more than was cleared. */
const booked_too_much = 50;

/**
 * The bank's statements: the line of the groceries, and one that differs from its clearing. Then
 * authorization, clearing and line are in one item, the difference is a break, and the bridge leads
 * from the opening to the closing balance.
 */
export async function reconcile(scene: Scene, { groceries, open_purchase, cards }: BookedClearings): Promise<void> {
  const { sandbox, narrator, mark } = scene;
  narrator.chapter("The bank's statements: authorization, clearing and line meet");
  const lines = [lineOf(scene, groceries, 1, 0), lineOf(scene, open_purchase, 2, booked_too_much)];
  const opening = await openingBalance(scene);
  const bytes = await writeStatements(scene, opening, lines);
  const name = `statements-${mark}.bai`;
  narrator.line(`2 statements of the account ${account_number}, ${bytes.length} bytes`, name);
  const read = (await sandbox.upload('operator', `/operator/v1/imports?name=${name}`, bytes)).data as Json;
  narrator.line(`Import ${read.id}, format ${read.format}`, String(read.status));
  assert.deepEqual([read.status, read.applied, read.quarantined], ['completed', 2, 0], JSON.stringify(read));

  const items = (await Promise.all(cards.map((card) => itemsOf(scene, card)))).flat();
  const matched = items.find((item) => item.cleared === groceries.billing_amount);
  assert.deepEqual(
    [matched?.status, matched?.sides, matched?.difference],
    ['matched', 3, -1_50],
    JSON.stringify(items),
  );
  narrator.approved(`Groceries: ${describe(matched!)}`, 'matched');
  const broken = items.find((item) => item.cleared === open_purchase.billing_amount);
  assert.deepEqual([broken?.status, broken?.kind], ['break', 'amount'], JSON.stringify(items));
  narrator.declined(`A purchase: ${describe(broken!)}`, 'BREAK: amount');
  await showSummary(scene, items);
  await showBridge(scene, opening, lines, String(broken!.id));
  await accept(scene, broken!);
}

function describe({ authorized, cleared, stated }: Json): string {
  return `authorized ${dollars(Number(authorized))}, cleared ${dollars(Number(cleared))}, stated ${dollars(Number(stated))}`;
}

/** The statement line of a clearing, a day after its settlement. */
function lineOf({ mark }: Scene, clearing: Json, number: number, more: number): ReportedLine {
  const booked_on = Temporal.PlainDate.from(String(clearing.settlement_date)).add({ days: 1 }).toString();
  return {
    bank_reference: `${mark}${number}`,
    booking_date: booked_on,
    value_date: booked_on,
    amount: money(-(Number(clearing.billing_amount) + more)),
    bai_code: '821',
    text: `CARD PURCHASE ${String(clearing.merchant_name).toUpperCase()}`,
    acquirer_reference: String(clearing.acquirer_reference_data),
  };
}

/** A statement opens with the balance with which the last one closed. */
async function openingBalance({ sandbox }: Scene): Promise<Money> {
  const { data } = await sandbox.get(`/bank/v1/accounts/${account_number}`, 'bank');
  const last = (data as Json).last_statement as Json | null;
  return money(last === null ? 10_000_00 : Number(last.balance));
}

/** A BAI2 file with a statement for the day of each line. */
async function writeStatements(scene: Scene, opening: Money, lines: readonly ReportedLine[]): Promise<Buffer> {
  const bai2 = statement_formats.find(({ name }) => name === 'bai2');
  assert.ok(bai2?.writeStatements !== undefined);
  let balance = opening;
  const statements = lines.map((line) => {
    const opening_balance = balance;
    balance = money(balance + line.amount);
    const head: StatementHead = {
      account_number,
      currency: 'USD',
      reference: null,
      as_of: line.booking_date,
      opening_balance,
      closing_balance: balance,
    };
    return { head, lines: [line] };
  });
  const created_on = scene.now.toString().slice(0, 10);
  return Buffer.concat([...bai2.writeStatements({ sequence: randomInt(1, 99_999), created_on, statements })]);
}

async function itemsOf({ sandbox }: Scene, { id }: IssuedCard): Promise<readonly Json[]> {
  return (await sandbox.get(`/v1/reconciliation/items?filter[vcn_id]=${id}`)).data as Json[];
}

async function showSummary({ sandbox, narrator }: Scene, items: readonly Json[]): Promise<void> {
  narrator.chapter('The reconciliation summary');
  const summary = (await sandbox.get('/v1/reconciliation/summary')).data as Json;
  const by_status = summary.by_status as Readonly<Record<string, { count: number; sum: number }>>;
  for (const [status, { count, sum }] of Object.entries(by_status)) {
    narrator.line(`${status}: ${count} ${count === 1 ? 'item' : 'items'}`, dollars(sum));
    assert.ok(count >= items.filter((item) => item.status === status).length);
  }
  const by_kind = summary.by_kind as typeof by_status;
  for (const [kind, { count, sum }] of Object.entries(by_kind)) {
    narrator.line(`Breaks of the kind ${kind}: ${count}`, dollars(sum));
  }
}

async function showBridge(
  { sandbox, narrator }: Scene,
  opening: Money,
  lines: readonly ReportedLine[],
  item_id: string,
): Promise<void> {
  narrator.chapter('The bridge from balance to balance');
  const dates = `[${lines[0]!.booking_date},${lines.at(-1)!.booking_date}]`;
  const path = `/v1/reconciliation/bridge?filter[account_id]=${account_number}&filter[booking_date]=${dates}`;
  const bridge = (await sandbox.get(path)).data as Readonly<Record<string, number>> & {
    readonly differences: readonly { step: string; kind: string; item_id: string; amount: number }[];
  };
  const { opening_balance, card_lines, other_lines, closing_balance, clearings, fees, authorized } = bridge;
  const of = (step: string) =>
    bridge.differences.filter((one) => one.step === step).reduce((sum, { amount }) => sum + amount, 0);
  assert.deepEqual([opening_balance, other_lines, bridge.unexplained_sum], [opening, 0, 0]);
  assert.equal(opening_balance! + card_lines! + other_lines!, closing_balance);
  assert.equal(card_lines, clearings! + fees! + of('statement') + bridge.unexplained_sum!);
  assert.equal(clearings, authorized! + of('authorization'));
  narrator.line('Opening balance', dollars(opening_balance!));
  narrator.line('Authorized', dollars(authorized!));
  for (const { step, kind, item_id: of_item, amount } of bridge.differences) {
    narrator.line(
      `Difference of item ${of_item}: ${step}, ${kind}${of_item === item_id ? ' (the break)' : ''}`,
      dollars(amount),
    );
  }
  narrator.line('Card lines', dollars(card_lines!));
  narrator.line('Unexplained', dollars(bridge.unexplained_sum!));
  narrator.line('Closing balance', dollars(closing_balance!));
}

async function accept({ sandbox, narrator }: Scene, { url }: Json): Promise<void> {
  const note = 'The bank refunds 0.50 next month';
  const accepted = (await sandbox.post('client', `${url}/accept`, { data: { note } })).data as Json;
  assert.equal(accepted.status, 'accepted');
  narrator.line(`The finance team accepts the difference: "${note}"`, String(accepted.status));
}
