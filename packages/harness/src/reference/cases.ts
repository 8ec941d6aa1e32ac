/**
 * The cases of the specification that a run of random sequences counts. A run that reaches less
 * than all of them proves less than it seems to.
 */
export const cases = [
  // The reasons of the table, by their codes.
  ...(['I', 'K', 'A', 'B', 'C', 'D', 'M', 'J', 'E', 'G', 'F', 'U', 'V'] as const).map(
    (code) => `reason ${code}` as const,
  ),

  ...([0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const).map((rule) => `rule ${rule}` as const),
  'rule 3: one of several that is open or partially cleared',
  'rule 3: one of several that is expired or released',
  'rule 3: the oldest of several',
  'rule 3: another merchant currency',
  'rule 0: the other id of a pair',
  'rule 1: one of several equal clearings',

  // The classes of a clearing.
  ...(
    [
      ...([
        'reversal',
        'dispute',
        'suspected_duplicate',
        'refund_linked',
        'refund_unlinked',
        'force_post',
        'late',
      ] as const),
      ...(['partial', 'fx_drift', 'exact', 'tip', 'over', 'under'] as const),
    ] as const
  ).map((clearing_class) => `class ${clearing_class}` as const),
  'credit: above what its purchase cleared',
  'credit: before the debit of its window',

  // The statuses of an authorization as a client reads it, or would read it if it were not removed.
  ...(['open', 'cleared', 'partially_cleared', 'reversed', 'expired', 'released', 'declined'] as const).map(
    (status) => `status ${status}` as const,
  ),

  // Clearings that came before their authorization, or before what changed it.
  'authorization: after its clearing',
  'authorization: declined after its clearing',
  'authorization: after the clearing of another',
  'clearing: matched again',
  'increment: after the final clearing',

  'increment: approved in the present window',
  'increment: approved in a past window',
  'increment: above what a past window has left',
  'increment: without an open authorization',
  'increment: reported by an advice',

  'advice: of a decision elsewhere',
  'advice: of a decline',
  'advice: raises an authorization',
  'advice: lowers an authorization',
  'advice: repeats an authorization',
  'advice: of an authorization that is closed',
  'advice: of a decline of a known authorization',

  'reversal: in full',
  'reversal: in part',
  'reversal: of an expired authorization',
  'reversal: of a released authorization',
  'reversal: only the amount of another currency',
  'early reversal: in full',
  'early reversal: in part',
  'early reversal: the smallest of several in part',
  'early reversal: in full among others in part',
  'early reversal: left by the advice of a decline',
  'early reversal: used before',

  'codes: the tenth wrong one',
  'codes: the right code of a locked card',
  'codes: forgotten',

  'hold: released by hand',
  'hold: nothing to release',
  'hold: made without an end',
  'hold: made with an end of the company',

  'by hand: a match',
  'by hand: a match taken back',
  'by hand: a confirmation',
  'by hand: a confirmation taken back',
  'by hand: other clearings matched again',
  'by hand: refused',

  'refused: other_billing_currency',
  'refused: transaction_of_another_card',
  'refused: transaction_of_another_clearing',
  'refused: unknown_card',
  'quarantine: refused again',
  'quarantine: replayed',
] as const;

export type Case = (typeof cases)[number];
