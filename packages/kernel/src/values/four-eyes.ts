/** The four-eyes setting of a company: which acts in its reconciliation need a second person. */
export interface FourEyes {
  /**
   * Minor units by currency: an act on an item of more needs a second person. In a currency without
   * an amount each act does.
   */
  readonly above: Readonly<Record<string, number>>;
}
