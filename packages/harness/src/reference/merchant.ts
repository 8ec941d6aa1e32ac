import type { AuthorizationWire, MerchantControlsWire } from '../system.ts';

/** What the merchant controls of a card and of its template say of a message. */
export interface MerchantVerdict {
  readonly reason: 'H' | 'L' | 'N';
  /** Whether an allow list or a requirement could not be checked, because the message lacks the value. */
  readonly is_unknown: boolean;
}

/** The first reason to decline; null: the controls allow it. */
export function merchantVerdict(
  controls: readonly MerchantControlsWire[],
  message: AuthorizationWire,
): MerchantVerdict | null {
  const { merchant_id, merchant_name, card_present } = message;
  const country = message.merchant_country ?? null;
  const are_named = controls.every(({ merchant_ids, merchant_names }) => {
    const isListed = (list: 'allow' | 'deny') =>
      (merchant_ids?.[list] ?? []).some((id) => id === merchant_id) ||
      (merchant_names?.[list] ?? []).some((pattern) => merchant_name !== undefined && names(pattern, merchant_name));
    const has_allow = merchant_ids?.allow != null || merchant_names?.allow != null;
    return !isListed('deny') && (!has_allow || isListed('allow'));
  });
  if (!are_named) return { reason: 'H', is_unknown: merchant_id === undefined || merchant_name === undefined };
  const is_in_country = controls.every(({ countries }) => {
    const isListed = (list: 'allow' | 'deny') => (countries?.[list] ?? []).some((code) => code === country);
    return !isListed('deny') && (countries?.allow == null || isListed('allow'));
  });
  if (!is_in_country) return { reason: 'L', is_unknown: country === null };
  const is_present = controls.every(
    ({ card_present: rule }) =>
      (rule !== 'required' || card_present === true) && (rule !== 'forbidden' || card_present !== true),
  );
  return is_present ? null : { reason: 'N', is_unknown: card_present === undefined };
}

/** `*` stands for any text, at the start and at the end; letters in any case and width. Invisible ones do not count. */
function names(pattern: string, name: string): boolean {
  const parts = seen(pattern).split('*');
  const literal = parts.map((part) => part.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 'su').test(seen(name));
}

/** The text as it is compared: in upper case, as networks send names. */
function seen(text: string): string {
  const letters = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKD');
  return letters.toLowerCase().toUpperCase().normalize('NFKC').trim().replace(/\s+/g, ' ');
}
