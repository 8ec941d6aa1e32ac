import { isBlank, isStorable, isWithin, maskCardNumbers, RequestFields } from '@tallystick/kernel';

/** What a person asks for about cards, which are named by their ids. */
export interface PersonMessage {
  readonly number_index: null;
  /** The company of the caller; null for an operator, who may act for every company. */
  readonly company_id: number | null;
  /** Why, in the words of the caller, with card numbers masked; null: not said. */
  readonly note: string | null;
  /** The caller, see `Call`. */
  readonly actor: string;
  readonly request_id: string | null;
  readonly source_address?: string | null | undefined;
}

/** A request to end the hold of an authorization by hand (decision: windows and holds). */
export interface ReleaseMessage extends PersonMessage {
  readonly kind: 'release';
  readonly vcn_id: number;
  readonly authorization_id: number;
  readonly note: string;
}

/** The most characters (code points) of the note of a release or a freeze. */
export const note_length_max = 500;

/**
 * Reads the note of a release. Refuses (`validation_failed`) a note that is absent, blank or too
 * long.
 */
export function readReleaseNote(request: object): string {
  const fields = new RequestFields(request);
  fields.require('note');
  const note = readNote(fields);
  fields.refuseInvalid();
  return note!;
}

/** Reads a note, with card numbers masked; null when there is none. Adds every problem to `fields`. */
export function readNote(fields: RequestFields): string | null {
  const rule = (text: string) => isWithin(text, note_length_max) && !isBlank(text) && isStorable(text);
  const expected = `text of 1 to ${note_length_max} characters, at least one of them visible`;
  const note = fields.readText('note', rule, expected);
  return note === null ? null : maskCardNumbers(note.trim());
}
