import { createFairShare, type FairShare, type Timers } from '@tallystick/kernel';
import { type Admission, createAdmission } from './admission.ts';
import { createShares, type Shares } from './shares.ts';

/**
 * The requests in progress in one process, door by door. No door takes a place of another one, so
 * that nobody's requests stop the decisions of all (ADR 0059).
 *
 * Behind the first five the caller is known: a request without a place is refused. Before the
 * others stands whoever has the address. There a request waits for its turn, because one that is
 * refused unseen may be that of a known caller.
 */
export interface Doors {
  /** Network messages. */
  readonly decisions: Admission;
  /** Requests of many network messages, of which each key has a share. Their lines are in `decisions`. */
  readonly message_streams: Admission;
  /** Their lines in progress: however many requests send lines, single messages find places. */
  readonly message_lines: FairShare;
  /** Other requests with an API key, of which each company has a share. */
  readonly keys: Admission;
  /** Requests to Open Banking with a valid token, of which each third party has a share. */
  readonly third_parties: Admission;
  /** The look-ups of tokens of Open Banking. */
  readonly tokens: Shares;
  /** The endpoints of the authorisation server. */
  readonly oauth: Shares;
  /** The pages of the bank's users. */
  readonly user_pages: Shares;
  /** The pages of the console. */
  readonly console: Shares;
  /** The pages of links in mails. */
  readonly card_details: Shares;
  /** The OpenAPI document and the pages about it. */
  readonly documents: Shares;
}

/** The doors of a process that has `requests_max` places for decisions. */
export function createDoors(requests_max: number, timers: Pick<Timers, 'after'>): Doors {
  const an_eighth = Math.max(1, Math.floor(requests_max / 8));
  return {
    decisions: createAdmission(requests_max),
    message_streams: createAdmission(an_eighth),
    message_lines: createFairShare(Math.ceil(requests_max * 0.75)),
    keys: createAdmission(requests_max),
    third_parties: createAdmission(requests_max),
    tokens: createShares(an_eighth, timers),
    oauth: createShares(an_eighth, timers),
    user_pages: createShares(an_eighth, timers),
    console: createShares(an_eighth, timers),
    card_details: createShares(an_eighth, timers),
    documents: createShares(an_eighth, timers),
  };
}
