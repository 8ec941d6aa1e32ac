import { isStorable, Refusal } from '@tallystick/kernel';

/** The values that name what a call is about. Absent ones are 0, or empty. */
export interface ParameterValues {
  readonly id: number;
  readonly delivery_id: number;
  readonly authorization_id: number;
  /** The number of an account. */
  readonly number: string;
  readonly consent_id: string;
  readonly consultation_id: string;
  /** The id of a user of the bank. */
  readonly user_id: string;
}

export type Parameter = keyof ParameterValues;

/** Whether a text is an id: digits without leading zeros. */
export function isId(text: string | undefined): text is string {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text);
}

/**
 * Reads the parameters of a call. A text that is no id, or that no text of ours can be, is refused
 * (`not_found`) like an unknown one.
 */
export function readParameters(texts: { readonly [Name in Parameter]?: string | undefined }): ParameterValues {
  const values = {
    id: readId(texts.id),
    delivery_id: readId(texts.delivery_id),
    authorization_id: readId(texts.authorization_id),
    number: texts.number ?? '',
    consent_id: texts.consent_id ?? '',
    consultation_id: texts.consultation_id ?? '',
    user_id: texts.user_id ?? '',
  };
  if (isStorable(values.number + values.consent_id + values.consultation_id + values.user_id)) return values;
  throw new Refusal('not_found', 'there is nothing with this name');
}

function readId(text: string | undefined): number {
  if (text === undefined) return 0;
  if (isId(text)) return Number(text);
  throw new Refusal('not_found', 'there is nothing with this id');
}
