import { account_cases } from './account-cases.ts';
import type { Manifest } from './case.ts';
import { funds_cases } from './funds-cases.ts';

/** Every case of both manifests: each applies, or has the reason why it does not. */
export const manifests: readonly Manifest[] = [
  {
    name: 'ob_3.1_accounts_transactions_fca.json',
    release: 'v1.9.1',
    case_count: 95,
    ids_sha256: '1aad3dcc6757b9e42bda317f76139e40174a4b745f56852b2e65266e7118c1f3',
    cases: account_cases,
  },
  {
    name: 'ob_3.1_cbpii_fca.json',
    release: 'v1.9.1',
    case_count: 14,
    ids_sha256: 'eba612eda32a3940a7d1f9cb143b8c9eb478bc318a98e0e815c21af89f47215a',
    cases: funds_cases,
  },
];
