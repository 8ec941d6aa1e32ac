import type { Temporal } from '@tallystick/kernel';
import type { AppliedCase } from './case.ts';

const consents = '/funds-confirmation-consents';
const one_consent = '/funds-confirmation-consents/{ConsentId}';

function creates(id: string, checks: string, more: Partial<AppliedCase> = {}): AppliedCase {
  return {
    id,
    checks,
    applies: true,
    method: 'POST',
    path: consents,
    token: 'client_credentials',
    statuses: [201],
    values: { 'Data.Status': 'AwaitingAuthorisation' },
    ...more,
  };
}

function refuses(id: string, what: string, debtor_account: Readonly<Record<string, string>>): AppliedCase {
  const more = { debtor_account, statuses: [400], values: {} } as const;
  return creates(id, `refuses a consent that names an account by ${what}`, more);
}

function accepts(id: string, form: string, expiration: (tomorrow: Temporal.Instant) => string): AppliedCase {
  return creates(id, `accepts an ExpirationDateTime ${form}`, { expiration });
}

/** The cases of `ob_3.1_cbpii_fca.json`. */
export const funds_cases: readonly AppliedCase[] = [
  creates('OB-301-CBPII-000001', 'creates a consent, which awaits authorisation'),
  creates('OB-301-CBPII-000002', 'creates the consent that the next cases use'),
  {
    id: 'OB-301-CBPII-000003',
    checks: 'reads a consent that was authorised',
    applies: true,
    method: 'GET',
    path: one_consent,
    token: 'client_credentials',
    is_authorised: true,
    statuses: [200],
    values: { 'Data.Status': 'Authorised' },
  },
  {
    id: 'OB-301-CBPII-000004',
    checks: 'confirms funds by a consent that was authorised',
    applies: true,
    method: 'POST',
    path: '/funds-confirmations',
    token: 'granted',
    statuses: [201],
  },
  {
    id: 'OB-301-CBPII-000005',
    checks: 'deletes a consent',
    applies: true,
    method: 'DELETE',
    path: one_consent,
    token: 'client_credentials',
    is_authorised: true,
    statuses: [204],
  },
  refuses('OB-301-CBPII-000006', 'a name of more than 350 characters', { Name: 'Name of an account '.repeat(19) }),
  refuses('OB-301-CBPII-000007', 'an identification of more than 256 characters', {
    Identification: 'Identification-'.repeat(18),
  }),
  refuses('OB-301-CBPII-000008', 'a scheme that does not exist', { SchemeName: 'TestingAnInvalidSchemeName' }),
  {
    id: 'OB-301-CBPII-000009',
    checks: 'answers 400, and not 404, when an unknown consent is deleted',
    applies: true,
    method: 'DELETE',
    path: one_consent,
    id_in_path: '42',
    token: 'client_credentials',
    statuses: [400],
  },
  accepts('OB-301-CBPII-000009/2', 'with milliseconds and Z', (tomorrow) =>
    tomorrow.toString({ fractionalSecondDigits: 3 }),
  ),
  accepts('OB-301-CBPII-000010', 'with milliseconds and an offset', (tomorrow) =>
    tomorrow.toString({ fractionalSecondDigits: 3, timeZone: 'UTC' }),
  ),
  accepts('OB-301-CBPII-000011', 'without milliseconds, with Z', (tomorrow) =>
    tomorrow.toString({ smallestUnit: 'second' }),
  ),
  accepts('OB-301-CBPII-000012', 'without milliseconds, with an offset', (tomorrow) =>
    tomorrow.toString({ smallestUnit: 'second', timeZone: 'UTC' }),
  ),
  creates('OB-312-CBPII-000100', 'does not ask for x-fapi-financial-id, which older versions had', {
    lacks_financial_id: true,
  }),
];
