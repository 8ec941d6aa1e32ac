import { clearing_formats } from '@tallystick/clearing-files';
import type { ClearingWire } from '@tallystick/harness';
import type { ClearingFormat, WrittenClearing } from '@tallystick/imports';
import { money } from '@tallystick/kernel';
import type { Booking } from '../outside/bank.ts';
import type { WaitingClearing } from '../outside/clearing-house.ts';
import type { World } from '../world.ts';
import type { Activity } from './activity.ts';
import { actOnImport, deliver } from './files.ts';

const day_ms = 86_400_000;

export const clearing_files: readonly Activity[] = [
  {
    name: 'clearing file',
    weight: 5,
    isPossible: ({ clearing_house }) => clearing_house.waiting > 0,
    run: sendFile,
  },
];

/** The network writes a file of what it has cleared. Records of unknown cards wait in quarantine. */
async function sendFile(world: World): Promise<void> {
  const { random, clearing_house } = world;
  const { sequence, clearings } = clearing_house.take();
  const format = random.pick(clearing_formats.filter((one) => clearings.every((clearing) => canState(one, clearing))));
  const written = clearings.map((clearing) => writtenOf(format, clearing));
  if (random.happens(0.2) && format.name !== 'ipm') written.push(ofUnknownCard(world, format, clearings[0]!));
  const content = {
    sequence,
    created_on: new Date(world.time.now_ms).toISOString().slice(0, 10),
    mode: random.happens(0.05) ? ('test' as const) : ('production' as const),
    clearings: written,
  };
  const variant = format.name === 'csv' ? 'totals' : format.variants && random.pick(format.variants);
  const bytes = Buffer.concat([...format.write!(content, variant)]);
  const transaction_ids = written.map(({ input }) => input.network_financial_transaction_id);
  const file = { name: `clearings-${sequence}.${format.name}`, format: format.name, transaction_ids, bytes };
  const found = await deliver(world, file);
  if (found === null) return;
  if (found.status === 'held') {
    await world.pauseUntilQuiet(random.wait(day_ms));
    await actOnImport(world, found.id, 'release');
  }
  while (found.status !== 'completed' && random.happens(0.7)) {
    if (!(await world.pauseUntilQuiet(random.wait(day_ms)))) return;
    await actOnImport(world, found.id, 'replay');
  }
}

/** VCF4 has no third decimal; it and CDF3 have no partial clearings. */
function canState({ name }: ClearingFormat, { input }: WaitingClearing): boolean {
  if (name === 'vcf4' && input.billing_currency === 'KWD') return false;
  return input.partial !== true || name === 'csv' || name === 'ipm';
}

/** CSV and CDF3 name a card by its id, the others by its number. */
function writtenOf({ name }: ClearingFormat, { card_id, input }: WaitingClearing): WrittenClearing {
  if (name !== 'csv' && name !== 'cdf3') return { input };
  const { card_number, ...rest } = input;
  return { input: { ...rest, vcn_id: card_id }, last4: card_number!.slice(-4) };
}

/** A record of a card that does not exist, or not yet. */
function ofUnknownCard(world: World, { name }: ClearingFormat, { input }: WaitingClearing): WrittenClearing {
  const { card_number: _, ...rest } = input;
  const own = {
    ...rest,
    network_financial_transaction_id: `C${world.nextId()}`,
    acquirer_reference_data: referenceOf(world.nextId()),
    partial: false,
  };
  const cards = world.committed.cards.size;
  return name === 'vcf4'
    ? { input: { ...own, card_number: '5555559999999999' } }
    : { input: { ...own, vcn_id: cards + world.random.between(1, 3) }, last4: '0000' };
}

/** An acquirer reference that no other clearing has. */
export function referenceOf(id: number): string {
  return `2${String(id).padStart(22, '0')}`;
}

/** The bank and the network learn of a clearing. */
export function settle(world: World, { company_id, card_id, input }: WaitingClearing, by_file: boolean): void {
  const { random, bank, clearing_house } = world;
  if (by_file) clearing_house.add({ company_id, card_id, input });
  if (random.happens(0.1)) return;
  const account = bank.accountOf({ id: company_id, billing_currency: input.billing_currency });
  account.booked.push(bookingOf(world, input));
}

function bookingOf(world: World, input: ClearingWire): Booking {
  const { random } = world;
  const is_debit = input.clearing_type === 'DEBIT';
  const more = random.happens(0.1) ? random.between(1, 300) : 0;
  const amount = money((input.billing_amount + more) * (is_debit ? -1 : 1));
  return {
    bank_reference: random.happens(0.8) ? `B${world.nextId()}` : null,
    amount,
    bai_code: is_debit ? '821' : '824',
    text: `SHOP ${world.nextId()}`,
    acquirer_reference: random.happens(0.8) ? input.acquirer_reference_data! : null,
  };
}
