/**
 * The services of third parties: `aisp` reads account information, `cbpii` confirms funds (service
 * specification 5.6).
 */
export const third_party_services = ['aisp', 'cbpii'] as const;

export type ThirdPartyService = (typeof third_party_services)[number];
