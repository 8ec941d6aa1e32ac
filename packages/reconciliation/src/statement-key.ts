/** How the key of an acquirer reference is made (clearing files: 17 and 23 digits). */
export const statement_key_settings = ['bin+sequence', 'whole'] as const;

/** The setting of an installation. Its items are made with one. */
export type StatementKeySetting = (typeof statement_key_settings)[number];

/** The setting of installations that choose none. */
export const statement_key_default: StatementKeySetting = 'bin+sequence';

/**
 * The key by which statement lines and clearings find each other; null without a reference.
 * `bin+sequence`: of 23 digits the BIN (offsets 1 to 6) and the sequence (offsets 11 to 21), which
 * are 17 digits; any other reference as it came. `whole`: every reference as it came. Never unique:
 * 17 digits have lost the date.
 */
export function statementKeyOf(reference: string | null, setting: StatementKeySetting): string | null {
  if (!isReference(reference)) return null;
  if (setting === 'whole' || !/^\d{23}$/.test(reference)) return reference;
  return reference.slice(1, 7) + reference.slice(11, 22);
}

/** Whether a record can be found by this reference. Files fill an absent one with zeros. */
function isReference(reference: string | null): reference is string {
  return reference !== null && /[1-9A-Za-z]/.test(reference) && !reference.startsWith('-');
}
