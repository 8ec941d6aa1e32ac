import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { ClearingInput } from '@tallystick/cards';
import { clearing_formats } from '@tallystick/clearing-files';
import type { WrittenClearing } from '@tallystick/imports';
import { expectBalance, type IssuedCard, type Scene } from './demo-scene.ts';
import { clearingMessage } from './network-messages.ts';
import type { Json } from './sandbox-client.ts';

/** A purchase that the service approved. */
export interface ApprovedPurchase {
  readonly message: Json;
  readonly decision: Json;
}

/** What the story has cleared so far, and what it has not. */
export interface FileChapter {
  /** The clearing that came as a message. */
  readonly cleared: Json;
  /** The card whose last purchase of 50.00 is not cleared, with 50.00 left. */
  readonly card: IssuedCard;
  readonly open_purchase: ApprovedPurchase;
}

/** No card has this id. */
const unknown_card_id = 999_999_999;

/**
 * The network's clearing file: a clearing that came by message before, a new one, and one that no
 * card has. Returns the new one.
 */
export async function importFile(scene: Scene, { cleared, card, open_purchase }: FileChapter): Promise<Json> {
  const { sandbox, narrator, mark } = scene;
  narrator.chapter("The network's clearing file of the day");
  const paid = { amount: 48_00, currency: 'USD', at: scene.now };
  const { message, decision } = open_purchase;
  const fresh = clearingMessage(message, decision.approval_code, paid, `demo-${mark}-2`);
  const { card_number: _, ...without_number } = clearingMessage(message, null, paid, `demo-${mark}-3`);
  const bytes = writeFileOf(scene, [cleared, fresh, { ...without_number, vcn_id: unknown_card_id }]);
  const name = `clearings-${mark}.xml`;
  narrator.line(`3 clearings, ${bytes.length} bytes`, name);
  const import_path = `/operator/v1/imports?name=${name}`;
  const first = (await sandbox.upload('operator', import_path, bytes)).data as Json;
  narrator.line(`Import ${first.id}, format ${first.format}`, String(first.status));
  assert.equal(first.status, 'completed_with_quarantine');
  assert.deepEqual([first.applied, first.duplicates, first.quarantined], [1, 1, 1]);
  narrator.line('The groceries, which came by message before', 'a duplicate');
  narrator.line('48.00 of the 50.00: the remaining 2.00 of the hold is released', 'applied');
  await expectBalance(scene, card, 52_00);
  const { data } = await sandbox.get(`${first.url}/quarantine`, 'operator');
  const [record, ...others] = data as Json[];
  assert.equal(others.length, 0);
  assert.equal(record?.reason, 'unknown_card');
  narrator.line(`Record ${record?.ordinal}: ${record?.explanation}`, 'quarantined');
  const again = (await sandbox.upload('operator', import_path, bytes)).data as Json;
  assert.equal(again.id, first.id);
  narrator.line('The same file again: nothing changes', `import ${again.id}`);
  await expectBalance(scene, card, 52_00);
  return fresh;
}

/** A file of the default format. */
function writeFileOf({ now }: Scene, clearings: readonly Json[]): Buffer {
  const format = clearing_formats.find(({ name }) => name === 'cdf3');
  assert.ok(format?.write !== undefined);
  const written: readonly WrittenClearing[] = clearings.map((input) => ({ input: input as unknown as ClearingInput }));
  const created_on = now.toString().slice(0, 10);
  return Buffer.concat([
    ...format.write({ sequence: randomInt(1, 99_999), created_on, mode: 'test', clearings: written }),
  ]);
}
