import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { BankAccount, BankCompany, BankData, BankUser } from '@tallystick/accounts';
import {
  authoriseConsent,
  type Consent,
  changeThirdParty,
  deleteConsent,
  rejectConsent,
  setThirdPartyStatus,
  withdrawConsent,
} from '@tallystick/consents';
import { newAccessConsent, newThirdParty } from '@tallystick/harness';
import { Refusal } from '@tallystick/kernel';
import type { Persistence } from '../src/index.ts';
import { type Fixture, noon_ms, onEveryDatabase } from './contract/fixture.ts';

/** Races of each kind. In the first two, one act and then the other comes first; else either may. */
const races = 12;

const company: BankCompany = { company_id: 1, is_active: true, eligible_services: ['aisp'], is_configured: true };

const account: BankAccount = {
  id: 1,
  company_id: 1,
  number: '1000000001',
  currency: 'USD',
  kind: 'deposit',
  name: null,
  created_at_ms: 0,
  first_statement: null,
  last_statement: null,
  profile: null,
};

const user: Omit<BankUser, 'user_id'> = {
  company_id: 1,
  name: 'Ana',
  status: 'active',
  eligible_services: ['aisp'],
  configured_services: ['aisp'],
  may_view_direct_debits: true,
  viewable_accounts: [account.number],
  updated_at_ms: 0,
};

/** The part of a bank that a decision asks: everybody is a user with one account. */
const bank = {
  findUser: async (user_id: string) => ({ ...user, user_id }),
  findCompany: async () => company,
  accountsByNumber: async () => [account],
} as Partial<BankData> as BankData;

type Act = (tx: Tx, consent_id: string) => Promise<unknown>;

type Tx = Parameters<Parameters<Persistence['unitOfWork']['run']>[0]>[0];

const call = { actor: 'user:test', request_id: null, now_ms: noon_ms };

function authoriseAs(user_id: string): Act {
  return (tx, consent_id) =>
    authoriseConsent(tx, { bank }, call, { consent_id, user_id, account_numbers: [account.number] });
}

const reject: Act = (tx, consent_id) => rejectConsent(tx, call, { consent_id, user_id: 'ana' });

const withdraw: Act = (tx, consent_id) => withdrawConsent(tx, call, { consent_id, user_id: 'ana' });

const remove: Act = (tx, consent_id) =>
  deleteConsent(tx, { client_id: 'third-party', request_id: null, now_ms: noon_ms }, 'account_access', consent_id);

/** Removes it, as retention does once it is old enough. */
const purge: Act = async (tx, consent_id) => {
  const bounds = { before_ms: noon_ms, now_ms: noon_ms };
  const { rows } = await tx.retention.due('consents', bounds, 0);
  const its = rows.filter((row) => row.consent_id === consent_id);
  await tx.retention.remove('consents', bounds, its);
};

interface Outcome {
  /** Null: it was removed. */
  readonly consent: Consent | null;
  /** For each act: `done`, or the code of its refusal. */
  readonly answers: readonly string[];
  /** What the audit log says of the consent, the oldest first. */
  readonly audited: readonly string[];
}

function answerOf(outcome: PromiseSettledResult<unknown>): string {
  if (outcome.status === 'fulfilled') return 'done';
  return outcome.reason instanceof Refusal ? outcome.reason.code : String(outcome.reason);
}

/** Runs both acts on each consent at once, in two processes and in both orders of sending. */
async function raceOf(fixture: Fixture, acts: readonly [Act, Act], prepare?: Act): Promise<readonly Outcome[]> {
  const here = fixture.persistence;
  const there = await fixture.another();
  const outcomes = await Promise.all(
    Array.from({ length: races }, async (_, at) => {
      const { consent_id } = await fixture.run((tx) => tx.consents.insert(newAccessConsent()));
      await here.unitOfWork.run(async (tx) => prepare?.(tx, consent_id));
      const [first, second] = at % 2 === 0 ? acts : ([acts[1], acts[0]] as const);
      const [one, other] = at % 2 === 0 ? [here, there] : [there, here];
      const [written, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const leading = one.unitOfWork.run(async (tx) => {
        await first(tx, consent_id);
        written.resolve();
        if (at < 2) await sent.promise;
      });
      if (at < 2) await Promise.race([written.promise, leading]);
      const following = other.unitOfWork.run((tx) => second(tx, consent_id));
      sent.resolve();
      const answers = (await Promise.allSettled([leading, following])).map(answerOf);
      const object = `consent:${consent_id}`;
      return await here.unitOfWork.read(async (tx) => ({
        consent: await tx.consents.find(consent_id),
        answers: at % 2 === 0 ? answers : answers.toReversed(),
        audited: (await tx.audit.list({ object }, { limit: 10 })).items.map(({ action }) => action).toReversed(),
      }));
    }),
  );
  // A server accepts too few connections for a process of each race.
  await there.close();
  return outcomes;
}

onEveryDatabase('a decision about a consent, in a race of two processes', (fixture) => {
  it('of two users who authorise it, exactly one does', async () => {
    for (const outcome of await raceOf(fixture(), [authoriseAs('ana'), authoriseAs('ben')])) {
      const { consent, answers, audited } = outcome;
      assert.deepEqual(answers.toSorted(), ['conflict', 'done']);
      assert.equal(consent?.user_id, answers[0] === 'done' ? 'ana' : 'ben');
      assert.deepEqual([consent?.status, audited], ['Authorised', ['consent.authorised']]);
    }
  });

  it('of an authorisation and a rejection, exactly one succeeds', async () => {
    for (const { consent, answers, audited } of await raceOf(fixture(), [authoriseAs('ana'), reject])) {
      assert.deepEqual(answers.toSorted(), ['conflict', 'done']);
      const expected =
        answers[0] === 'done' ? ['Authorised', ['consent.authorised']] : ['Rejected', ['consent.rejected']];
      assert.deepEqual([consent?.status, audited], expected);
    }
  });

  it('of an authorisation and a deletion, the consent is deleted and never authorised after it', async () => {
    for (const { consent, answers, audited } of await raceOf(fixture(), [authoriseAs('ana'), remove])) {
      assert.equal(answers[1], 'done');
      assert.equal(consent?.deleted_at_ms, noon_ms);
      if (answers[0] === 'done') {
        assert.deepEqual([consent?.status, audited], ['Authorised', ['consent.authorised', 'consent.deleted']]);
      } else {
        assert.deepEqual(
          [answers[0], consent?.status, audited],
          ['conflict', 'AwaitingAuthorisation', ['consent.deleted']],
        );
      }
    }
  });

  it('of an authorisation and its removal after the retention time, exactly one succeeds', async () => {
    for (const { consent, answers, audited } of await raceOf(fixture(), [authoriseAs('ana'), purge])) {
      assert.equal(answers[1], 'done');
      const expected =
        answers[0] === 'done' ? ['done', 'Authorised', ['consent.authorised']] : ['not_found', undefined, []];
      assert.deepEqual([answers[0], consent?.status, audited], expected);
    }
  });

  it('an authorisation that has not committed keeps it, and on Postgres its removal does not wait', async () => {
    const { persistence: here, name } = fixture();
    const there = await fixture().another();
    const { id, consent_id } = await fixture().run((tx) => tx.consents.insert(newAccessConsent()));
    const [authorised, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const authorisation = here.unitOfWork.run(async (tx) => {
      await authoriseConsent(tx, { bank }, call, { consent_id, user_id: 'ana', account_numbers: [account.number] });
      authorised.resolve();
      await ended.promise;
    });
    await authorised.promise;
    const bounds = { before_ms: noon_ms, now_ms: noon_ms };
    const removal = there.unitOfWork.run((tx) => tx.retention.remove('consents', bounds, [{ id }]));
    // On SQLite one transaction writes at a time.
    if (name === 'postgres') await removal;
    ended.resolve();
    await authorisation;
    assert.equal(await removal, 0);
    const consent = await here.unitOfWork.read((tx) => tx.consents.find(consent_id));
    assert.equal(consent?.status, 'Authorised');
  });

  it('a user who authorises it twice at once authorises it, and authenticates again', async () => {
    for (const { consent, answers, audited } of await raceOf(fixture(), [authoriseAs('ana'), authoriseAs('ana')])) {
      assert.deepEqual(answers, ['done', 'done']);
      assert.deepEqual(
        [consent?.status, audited],
        ['Authorised', ['consent.authorised', 'consent.authenticated_again']],
      );
    }
  });

  it('a withdrawal that is sent twice takes place once', async () => {
    for (const { consent, answers, audited } of await raceOf(fixture(), [withdraw, withdraw], authoriseAs('ana'))) {
      assert.deepEqual([answers, consent?.withdrawn_at_ms], [['done', 'done'], noon_ms]);
      assert.deepEqual(audited, ['consent.authorised', 'consent.withdrawn']);
    }
  });
});

onEveryDatabase('a change of a third party, in a race of two processes', (fixture) => {
  it('with an authorisation leaves no access once it is suspended', async () => {
    const here = fixture().persistence;
    const there = await fixture().another();
    await Promise.all(
      Array.from({ length: races }, async (_, at) => {
        const { id, client_id } = await fixture().run((tx) => tx.third_parties.insert(newThirdParty()));
        const { consent_id } = await fixture().run((tx) => tx.consents.insert(newAccessConsent({ client_id })));
        const [one, other] = at % 2 === 0 ? [here, there] : [there, here];
        const authorise = () => one.unitOfWork.run((tx) => authoriseAs('ana')(tx, consent_id));
        const suspend = () => other.unitOfWork.run((tx) => setThirdPartyStatus(tx, call, id, 'suspended'));
        const sent = at < races / 2 ? [authorise, suspend] : [suspend, authorise];
        const answers = (await Promise.allSettled(sent.map((act) => act()))).map(answerOf);
        assert.ok(['done,done', 'done,conflict', 'conflict,done'].includes(answers.join()), answers.join());
        const consent = await here.unitOfWork.read((tx) => tx.consents.find(consent_id));
        const refused = answers.includes('conflict');
        assert.deepEqual(
          [consent?.status, consent?.stopped_at_ms],
          refused ? ['AwaitingAuthorisation', null] : ['Authorised', noon_ms],
        );
      }),
    );
    await there.close();
  });

  it('with a suspension loses neither', async () => {
    const here = fixture().persistence;
    const there = await fixture().another();
    const operator = { actor: 'command', request_id: null, now_ms: noon_ms };
    await Promise.all(
      Array.from({ length: races }, async (_, at) => {
        const { id } = await fixture().run((tx) => tx.third_parties.insert(newThirdParty()));
        const [one, other] = at % 2 === 0 ? [here, there] : [there, here];
        await Promise.all([
          one.unitOfWork.run((tx) =>
            changeThirdParty(tx, { url_policy: () => null }, operator, id, { name: 'Changed' }),
          ),
          other.unitOfWork.run((tx) => setThirdPartyStatus(tx, operator, id, 'suspended')),
          other.unitOfWork.run((tx) =>
            changeThirdParty(tx, { url_policy: () => null }, operator, id, { scopes: ['fundsconfirmations'] }),
          ),
        ]);
        const found = await here.unitOfWork.read((tx) => tx.third_parties.find(id));
        assert.deepEqual([found?.name, found?.status, found?.scopes], ['Changed', 'suspended', ['fundsconfirmations']]);
      }),
    );
  });
});
