import { match_reach_days, match_tolerance_parts } from './match-case.ts';

/**
 * The rules of matching in the order in which they are tried, each with a short name and
 * with what it finds: a clause for the documentation. Rule 0 is applied before anything is matched.
 */
export const match_rules = [
  {
    rule: 0,
    name: 'duplicate',
    meaning: 'a clearing with the same `network_financial_transaction_id`: a duplicate, which changes nothing',
  },
  {
    rule: 1,
    name: 'undone clearing',
    meaning:
      'the clearing that a reversal undoes: by acquirer reference data, approval code, billing amount and currency',
  },
  {
    rule: 2,
    name: 'disputed clearing',
    meaning:
      'the clearing that a second presentment or a chargeback disputes: by acquirer reference data and approval code',
  },
  {
    rule: 3,
    name: 'network reference',
    meaning:
      'an authorization with the same 13 characters of `net_reference_number` and, when both have one, the same approval code. Of several: one that waits for a clearing, else one whose hold had ended by the settlement date, else another; of several such, the oldest by transaction date, marked for review. In another merchant currency than authorized: marked for review',
  },
  {
    rule: 4,
    name: 'network reference and approval code',
    meaning:
      'an authorization with the same 6 characters of the network reference and the same approval code, at most one day apart',
  },
  {
    rule: 5,
    name: 'approval code and merchant',
    meaning: `an authorization with the same approval code and merchant id, an amount within ${100 / match_tolerance_parts} %, at most ${match_reach_days} days from the settlement date`,
  },
  {
    rule: 6,
    name: 'merchant and amount',
    meaning: `an authorization with the same merchant id and amount, at most ${match_reach_days} days from the settlement date; marked for review`,
  },
  {
    rule: 7,
    name: 'purchase of a credit',
    meaning: `of a credit: the one earlier debit clearing of at least its amount with the same acquirer reference data, the same approval code, or the same merchant id and a settlement date at most ${match_reach_days} days apart; if there is none, the credit stands alone`,
  },
  {
    rule: 8,
    name: 'no record',
    meaning:
      'no record was found: the clearing is applied to the card anyway (a force post). Also a reversal of a dispute whose own clearing is not known yet: it changes no balance',
  },
  {
    rule: 9,
    name: 'by hand',
    meaning: 'made by hand: the authorization that a person chose or confirmed. No rule changes such a match',
  },
] as const satisfies readonly { readonly rule: number; readonly name: string; readonly meaning: string }[];

export type MatchRule = (typeof match_rules)[number]['rule'];
