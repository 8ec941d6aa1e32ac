import { answers, type Outcome } from '@tallystick/cards';
import { type Content, html } from './html.ts';

/** A code of a decline with its meaning in a few words: `F Cumulative amount limit`. */
export function declineName(code: Outcome['code']): Content {
  return html`<b>${code}</b> ${answers[code].vcn_response}`;
}
