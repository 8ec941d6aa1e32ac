import { isStorable, isWithin, maskCardNumbers, RequestFields } from '@tallystick/kernel';

/** A request to end the hold of an authorization by hand (decision: windows and holds). */
export interface ReleaseMessage {
  readonly kind: 'release';
  /** The card is named by its id. */
  readonly number_index: null;
  readonly vcn_id: number;
  readonly authorization_id: number;
  /** The company of the caller; null for an operator, who may release holds of every company. */
  readonly company_id: number | null;
  /** Why, in the words of the caller. Card numbers in it are masked. */
  readonly note: string;
  /** The caller, see `Call`. */
  readonly actor: string;
  readonly request_id: string | null;
  readonly source_address?: string | null | undefined;
}

/** The most characters (code points) of the note of a release. */
export const release_note_length_max = 500;

/**
 * Reads the note of a release. Refuses (`validation_failed`) a note that is absent, blank or too
 * long.
 */
export function readReleaseNote(request: object): string {
  const fields = new RequestFields(request);
  fields.require('note');
  const rule = (text: string) => isWithin(text, release_note_length_max) && text.trim() !== '' && isStorable(text);
  const note = fields.readText(
    'note',
    rule,
    `text of 1 to ${release_note_length_max} characters, not all of them blank`,
  );
  fields.refuseInvalid();
  return maskCardNumbers(note!.trim());
}
