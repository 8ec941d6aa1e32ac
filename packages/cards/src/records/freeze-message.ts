import { RequestFields } from '@tallystick/kernel';
import { type PersonMessage, readNote } from './release-message.ts';

/** A request to freeze a card, or to end that (decision: windows and holds). */
export interface FreezeMessage extends PersonMessage {
  readonly kind: 'freeze';
  readonly vcn_id: number;
  /** Whether the card is frozen afterwards. */
  readonly frozen: boolean;
}

/** Reads the note of a freeze. Refuses (`validation_failed`) one that is blank or too long. */
export function readFreezeNote(request: object): string | null {
  const fields = new RequestFields(request);
  const note = readNote(fields);
  fields.refuseInvalid();
  return note;
}
