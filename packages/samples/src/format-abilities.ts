/**
 * What a format can state about a clearing. The answers of a set depend on it: without all thirteen
 * characters of the network's reference, for example, rule 4 finds what rule 3 would have found.
 * Without any reference only rule 6 finds an authorization, and a scenario that needs another rule
 * is left out.
 */
export interface FormatAbilities {
  readonly format: string;
  /** How a file names a card. */
  readonly card: 'card_number' | 'vcn_id';
  /** A file names a card by its id beside a masked number, whose last digits are compared. */
  readonly masked_number: boolean;
  /** The transaction id of the network. Without it an id is made from the place in the file. */
  readonly transaction_id: boolean;
  /**
   * Whole: the approval code, the acquirer reference data and all thirteen characters of
   * `net_reference_number`. Six: the same, with only the six characters in their middle. None:
   * nothing of these.
   */
  readonly references: 'whole' | 'six' | 'none';
  /** That more clearings of the authorization follow. */
  readonly partial: boolean;
  readonly reversal: boolean;
  readonly dispute: boolean;
}

export const format_abilities: Readonly<Record<string, FormatAbilities>> = {
  csv: {
    format: 'csv',
    card: 'vcn_id',
    masked_number: false,
    transaction_id: true,
    references: 'whole',
    partial: true,
    reversal: true,
    dispute: true,
  },
  ipm: {
    format: 'ipm',
    card: 'card_number',
    masked_number: false,
    transaction_id: false,
    references: 'whole',
    partial: true,
    reversal: true,
    dispute: true,
  },
  cdf3: {
    format: 'cdf3',
    card: 'vcn_id',
    masked_number: true,
    transaction_id: true,
    references: 'six',
    partial: false,
    reversal: false,
    dispute: false,
  },
  vcf4: {
    format: 'vcf4',
    card: 'card_number',
    masked_number: false,
    transaction_id: true,
    references: 'none',
    partial: false,
    reversal: false,
    dispute: false,
  },
};

/**
 * The number of records of a scenario kind that needs a reference; null for a format without any.
 */
export function withReferences(records: number): (able: FormatAbilities) => number | null {
  return ({ references }) => (references === 'none' ? null : records);
}
