/** A client of the service. */
export interface Company {
  readonly id: number;
  readonly name: string;
  /** The bank's number of this client. Template acknowledgements show it. */
  readonly customer_number: string;
  /**
   * Whether mails about its cards contain number and code, beside the link that shows them once.
   */
  readonly full_details_in_mail: boolean;
  readonly created_at_ms: number;
}

export const company_name_length_max = 255;
export const customer_number_length_max = 64;
