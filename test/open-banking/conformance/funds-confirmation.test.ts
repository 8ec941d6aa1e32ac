import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import {
  database_names,
  migratedDatabase,
  openBankingDocumentsMissing,
  readOpenBankingDocuments,
  type ScratchDatabase,
  type ServerProcess,
  startServer,
} from '@tallystick/test-support';
import type { AppliedCase } from './case.ts';
import { checkAnswer, headersOf } from './check-answer.ts';
import { funds_cases } from './funds-cases.ts';
import { type ThirdParty, thirdParty } from './third-party.ts';

const base = '/open-banking/v3.1/cbpii';
const documents_missing = openBankingDocumentsMissing();
const documents = documents_missing === false ? readOpenBankingDocuments() : null;

/** The request of a consent: an account of the sandbox, until tomorrow. */
function consentRequest(row: Partial<AppliedCase>) {
  const tomorrow = Temporal.Now.instant().add({ hours: 24 });
  return {
    Data: {
      ExpirationDateTime: row.expiration?.(tomorrow) ?? tomorrow.toString({ smallestUnit: 'second' }),
      DebtorAccount: {
        SchemeName: 'Tallystick.AccountNumber',
        Identification: '1000000001',
        Name: 'Sandbox account',
        ...row.debtor_account,
      },
    },
  };
}

for (const name of database_names) {
  describe(`conformance of funds confirmation on ${name}`, () => {
    const ran: string[] = [];
    let cbpii: ThirdParty;
    let scratch: ScratchDatabase | undefined;
    let server: ServerProcess | undefined;
    after(async () => {
      await server?.stop();
      await scratch?.dispose();
    });
    before(async () => {
      scratch = await migratedDatabase(name);
      server = await startServer(scratch);
      cbpii = await thirdParty(server.url, 'sandbox-cbpii', 'fundsconfirmations', base);
    });

    for (const row of funds_cases) {
      it(`${row.id} ${row.checks}`, async () => {
        ran.push(row.id);
        let consent_id = row.id_in_path ?? '';
        let token = await cbpii.clientToken();
        if (row.is_authorised === true || row.token === 'granted') {
          consent_id = await cbpii.createConsent('/funds-confirmation-consents', consentRequest(row));
          const granted = await cbpii.authorise(consent_id);
          if (row.token === 'granted') token = granted;
        }
        const body = row.token === 'granted' ? fundsRequest(consent_id) : consentRequest(row);
        const answer = await cbpii.send(row.method, base + row.path.replace('{ConsentId}', consent_id), {
          token,
          headers: headersOf(row),
          ...(row.method === 'POST' ? { body } : {}),
        });
        checkAnswer(row, answer, documents);
        if (row.token === 'granted') assert.equal(typeof answer.json.Data.FundsAvailable, 'boolean');
      });
    }

    it('has run every case', () => {
      assert.deepEqual(ran.toSorted(), funds_cases.map(({ id }) => id).toSorted());
    });

    it('has checked the answers by the official documents', { skip: documents_missing }, () => {
      assert.ok(documents !== null);
    });
  });
}

function fundsRequest(consent_id: string) {
  return {
    Data: {
      ConsentId: consent_id,
      Reference: 'Purchase 1',
      InstructedAmount: { Amount: '1.00', Currency: 'USD' },
    },
  };
}
