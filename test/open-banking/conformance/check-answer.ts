import assert from 'node:assert/strict';
import type { OpenBankingDocuments, Reply } from '@tallystick/test-support';
import { account_cases } from './account-cases.ts';
import type { AppliedCase, Manifest } from './case.ts';
import { funds_cases } from './funds-cases.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Checks the answer to a case. Without the official documents the schema is not checked. */
export function checkAnswer(row: AppliedCase, answer: Reply, documents: OpenBankingDocuments | null): void {
  const { status, headers, text, json } = answer;
  assert.ok(row.statuses.includes(status), `${status}: ${text}`);

  // Every answer has an interaction id: the one that was sent, else a new one.
  const interaction_id = headers.get('x-fapi-interaction-id') ?? '';
  if (row.interaction_id === undefined) assert.match(interaction_id, uuid);
  else assert.equal(interaction_id, row.interaction_id);

  if ([200, 201, 400, 403].includes(status)) {
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  } else {
    assert.equal(text, '', `${status} has no body`);
  }
  for (const [path, expected] of Object.entries(row.values ?? {})) {
    const value = path.split('.').reduce((at, name) => at?.[name], json);
    assert.equal(value, expected, path);
  }
  if (status === 201 && row.path.endsWith('consents')) assert.match(json.Data.ConsentId, /^.{1,128}$/);
  checkItems(row, json);
  if (documents !== null && !row.path.includes('foobar')) {
    assert.equal(documents.findProblem(row.method, row.path, answer), null);
  }
}

function checkItems({ items_have = [], items_lack = [] }: AppliedCase, json: unknown): void {
  if (items_have.length + items_lack.length === 0) return;
  const { Data } = json as { readonly Data: Readonly<Record<string, readonly object[]>> };
  const items = Object.values(Data)[0]!;
  assert.ok(items.length > 0, 'the list is empty, so that nothing is checked');
  for (const item of items) {
    for (const member of items_have) assert.ok(member in item, `${member} is missing in ${JSON.stringify(item)}`);
    for (const member of items_lack) assert.ok(!(member in item), `${member} is in ${JSON.stringify(item)}`);
  }
}

/** The headers that the suite sends with a case, beside the token. */
export function headersOf(row: AppliedCase): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    Accept: '*/*',
    ...(row.lacks_financial_id === true ? {} : { 'x-fapi-financial-id': '0015800001041RHAAY' }),
    ...(row.interaction_id === undefined ? {} : { 'x-fapi-interaction-id': row.interaction_id }),
  };
}

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
