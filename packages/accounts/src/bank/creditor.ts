/** Who receives a standing order or a scheduled payment. */
export interface Creditor {
  readonly creditor_scheme_name: string;
  /** 1 to 256 characters. */
  readonly creditor_identification: string;
  /** 1 to 350 characters. */
  readonly creditor_name: string | null;
}
