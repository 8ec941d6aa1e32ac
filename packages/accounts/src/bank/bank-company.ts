/**
 * What the bank allows a company in the third-party channel (service specification 5.6). A company
 * that the bank has not set up is eligible for nothing.
 */
export interface BankCompany {
  readonly company_id: number;
  /** Whether the company is an active client: it is not closed. */
  readonly is_active: boolean;
  readonly eligible_services: readonly ThirdPartyService[];
  /** Whether the company is configured for API services. */
  readonly is_configured: boolean;
}

/**
 * The services of third parties: `aisp` reads account information, `cbpii` confirms funds (service
 * specification 5.6).
 */
export const third_party_services = ['aisp', 'cbpii'] as const;

export type ThirdPartyService = (typeof third_party_services)[number];
