import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  database_names,
  migratedDatabase,
  openBankingDocumentsMissing,
  readOpenBankingDocuments,
  type ScratchDatabase,
  type ServerProcess,
  startServer,
} from '@tallystick/test-support';
import { account_cases } from './account-cases.ts';
import type { AppliedCase } from './case.ts';
import { checkAnswer, headersOf } from './check-answer.ts';
import { type ThirdParty, thirdParty } from './third-party.ts';

/** The first deposit account of the sandbox's default user. */
const account_id = '1000000001';
/** The official base path. All endpoints are at the root, too. */
const base = '/open-banking/v3.1/aisp';
const documents_missing = openBankingDocumentsMissing();
const documents = documents_missing === false ? readOpenBankingDocuments() : null;
const applied = account_cases.filter((row): row is AppliedCase => row.applies);
const excluded = account_cases.filter((row) => !row.applies);

for (const name of database_names) {
  describe(`conformance of account information on ${name}`, () => {
    const tokens = new Map<string, Promise<string>>();
    const ran: string[] = [];
    let aisp: ThirdParty;
    let scratch: ScratchDatabase | undefined;
    let server: ServerProcess | undefined;
    after(async () => {
      await server?.stop();
      await scratch?.dispose();
    });
    before(async () => {
      scratch = await migratedDatabase(name);
      server = await startServer(scratch);
      aisp = await thirdParty(server.url, 'sandbox-aisp', 'accounts', base);
    });

    /** A token of a consent with these permissions. Cases with the same ones share it. */
    const granted = (permissions: readonly string[]): Promise<string> => {
      const key = permissions.toSorted().join();
      const token =
        tokens.get(key) ??
        aisp
          .createConsent('/account-access-consents', { Data: { Permissions: permissions }, Risk: {} })
          .then((consent_id) => aisp.authorise(consent_id));
      tokens.set(key, token);
      return token;
    };
    const tokenOf = async (row: AppliedCase): Promise<string | null> => {
      if (row.token === 'none') return null;
      if (row.token === 'client_credentials') return await aisp.clientToken();
      return await granted([...(row.permissions ?? []), ...(row.added_permissions ?? [])]);
    };

    for (const row of applied) {
      it(`${row.id} ${row.checks}`, async () => {
        ran.push(row.id);
        const path = row.path.replace('{AccountId}', row.id_in_path ?? account_id);
        const query = row.query === undefined ? '' : `?${new URLSearchParams(row.query)}`;
        const headers = headersOf(row);
        // At the root such a path is no one's: the conventions of Open Banking do not apply to it.
        for (const at of row.path === '/foobar' ? [base] : [base, '']) {
          const answer = await aisp.send(row.method, at + path + query, { token: await tokenOf(row), headers });
          checkAnswer(row, answer, documents);
        }
      });
    }

    it('answers 404 without a body on every path of a case that does not apply', async () => {
      const token = await granted(['ReadAccountsDetail']);
      for (const path of new Set(excluded.map((row) => row.path))) {
        const answer = await aisp.send('GET', base + path.replace('{AccountId}', account_id), { token });
        assert.deepEqual([path, answer.status, answer.text], [path, 404, '']);
      }
    });

    it('has run every case that applies', () => {
      assert.deepEqual(
        ran.toSorted(),
        account_cases
          .filter(({ applies }) => applies)
          .map(({ id }) => id)
          .toSorted(),
      );
    });

    it('has checked the answers by the official documents', { skip: documents_missing }, () => {
      assert.ok(documents !== null);
    });
  });
}
