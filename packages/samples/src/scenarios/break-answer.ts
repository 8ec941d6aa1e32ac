export type SampleBreakKind =
  | 'suspected_duplicate'
  | 'unauthorized'
  | 'amount'
  | 'uncleared'
  | 'unstated'
  | 'unexplained_line';

/** What a person does with a break; null: nothing, it is resolved by something else. */
export type SampleAct = 'match' | 'match_and_accept' | 'accept' | 'ignore' | null;

/** What happened in the world, and what is right. A match names the records of the other breaks. */
export interface BreakAnswer {
  /** One sentence. */
  readonly what: string;
  readonly act: SampleAct;
}

export type BreakAnswers = Readonly<
  Partial<Record<SampleBreakKind | 'late_change' | 'bank_line_differs', BreakAnswer>>
>;
