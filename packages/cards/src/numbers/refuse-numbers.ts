import { cardNumbersIn } from '@tallystick/kernel';
import type { CardStore } from '../issuing/ports.ts';
import { toNumberSet } from './by-number-index.ts';
import type { CardVault } from './card-vault.ts';
import { Pan } from './pan.ts';
import { refusalOfNumbers } from './suspect-number.ts';

/**
 * Refuses (`validation_failed`) each value that contains the number of a card, naming its field and
 * not repeating it (ADR 0026). It is for values that name or match, by the path of their field.
 *
 * Call it when the lengths of the values are checked, in the transaction that stores them: the
 * refusal rolls it back. Values other than texts and integers are ignored. There is one look-up,
 * and none when no value contains digits that could be a card number.
 */
export async function refuseNumbersOfCards(
  tx: { readonly cards: Pick<CardStore, 'knownNumbers'> },
  { vault }: { readonly vault: Pick<CardVault, 'index'> },
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const found = Object.entries(values).flatMap(([path, value]) => numbersIn(value).map((number) => ({ path, number })));
  if (found.length === 0) return;
  const suspects = found.map(({ path, number }) => ({ field: path, number_index: vault.index(new Pan(number)) }));
  const known = await tx.cards.knownNumbers(suspects.map(({ number_index }) => number_index));
  const refusal = refusalOfNumbers(suspects, toNumberSet(known));
  if (refusal !== null) throw refusal;
}

/** The numbers that a value could contain, each once, also those in percent-encoding. */
function numbersIn(value: unknown): readonly string[] {
  if (typeof value !== 'string' && !Number.isInteger(value)) return [];
  const text = String(value);
  return [...new Set([...cardNumbersIn(text), ...cardNumbersIn(withoutPercentEncoding(text))])];
}

function withoutPercentEncoding(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Each escape that is not UTF-8 separates two groups of digits.
    return text.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  }
}
