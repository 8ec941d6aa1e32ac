import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  authoriseConsent,
  type ConsentStatus,
  deleteConsent,
  mayBeRemoved,
  readAccounts,
  rejectConsent,
  withdrawConsent,
} from '@tallystick/consents';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { bankUser, now_ms } from '../bank-world.ts';
import { ConsentWorld, callOf, third_party_call } from '../consent-world.ts';

type Action = 'authorise' | 'reject' | 'withdraw' | 'delete' | 'expire';

interface Step {
  readonly action: Action;
  readonly user_id: 'ana' | 'ben';
}

/** What should be the case after some steps, written by the rules of the decisions. */
interface Expected {
  status: ConsentStatus;
  user_id: string | null;
  withdrawn: boolean;
  deleted: boolean;
  expired: boolean;
}

/** Whether the step succeeds, and what is the case after it. */
function predict(state: Expected, { action, user_id }: Step, is_access: boolean): [boolean, Expected] {
  const is_alive = !state.deleted && !state.expired;
  switch (action) {
    case 'expire':
      return [true, { ...state, expired: true }];
    case 'delete':
      return state.deleted ? [false, state] : [true, { ...state, deleted: true }];
    case 'reject':
      if (!is_alive || state.status !== 'AwaitingAuthorisation') return [false, state];
      return [true, { ...state, status: 'Rejected' }];
    case 'authorise': {
      const is_first = state.status === 'AwaitingAuthorisation';
      const is_again = state.status === 'Authorised' && state.user_id === user_id;
      if (!is_alive || !(is_first || is_again)) return [false, state];
      return [true, { ...state, status: 'Authorised', user_id, withdrawn: false }];
    }
    case 'withdraw':
      if (state.deleted || state.user_id !== user_id) return [false, state];
      if (is_access) return [true, { ...state, withdrawn: true }];
      return [true, { ...state, status: 'Revoked', withdrawn: true }];
  }
}

it('any sequence of actions keeps the rules of the states, and only a consent in force is read', async () => {
  const step = fc.record<Step>({
    action: fc.constantFrom('authorise', 'authorise', 'reject', 'withdraw', 'delete', 'expire'),
    user_id: fc.constantFrom('ana', 'ana', 'ben'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.boolean(), async (steps, is_access) => {
      const world = new ConsentWorld();
      world.bank.users = [bankUser(), bankUser({ user_id: 'ben' })];
      const ExpirationDateTime = '2026-06-01T00:00:00Z';
      const { consent_id, kind } = await (is_access
        ? world.requestAccess({ ExpirationDateTime })
        : world.requestFunds({ ExpirationDateTime }));
      let now = now_ms;
      const act = ({ action, user_id }: Step): Promise<unknown> => {
        const call = { actor: `user:${user_id}`, request_id: null, now_ms: now };
        return world.run(async (tx) => {
          if (action === 'delete')
            return await deleteConsent(tx, { ...third_party_call, now_ms: now }, kind, consent_id);
          if (action === 'reject') return await rejectConsent(tx, call, { consent_id, user_id });
          if (action === 'withdraw') return await withdrawConsent(tx, call, { consent_id, user_id });
          const decision = { consent_id, user_id, account_numbers: ['1000000001'] };
          return await authoriseConsent(tx, world.ports, call, decision);
        });
      };
      let expected: Expected = {
        status: 'AwaitingAuthorisation',
        user_id: null,
        withdrawn: false,
        deleted: false,
        expired: false,
      };
      for (const one of steps) {
        now += 1;
        const [succeeds, next] = predict(expected, one, is_access);
        if (one.action === 'expire') now = Math.max(now, Date.parse(ExpirationDateTime));
        else
          assert.equal((await Promise.allSettled([act(one)]))[0].status === 'fulfilled', succeeds, JSON.stringify(one));
        expected = next;

        const consent = await world.read((tx) => tx.consents.find(consent_id));
        assert(consent !== null);
        assert.deepEqual(
          {
            status: consent.status,
            user_id: consent.user_id,
            withdrawn: consent.withdrawn_at_ms !== null,
            deleted: consent.deleted_at_ms !== null,
            expired: expected.expired,
          },
          expected,
        );
        assert.equal(mayBeRemoved(consent), expected.user_id === null, 'nobody ever authorised it');
        const { status, withdrawn, deleted, expired } = expected;
        const is_readable = is_access && status === 'Authorised' && !withdrawn && !deleted && !expired;
        for (const user_id of ['ana', 'ben']) {
          const call = callOf({ consent_id }, { user_id, now_ms: now });
          const reading = world.read((tx) => readAccounts(tx, world.ports, call, null, { cursor: undefined }));
          const [outcome] = await Promise.allSettled([reading]);
          assert.equal(outcome.status === 'fulfilled', is_readable && user_id === expected.user_id);
        }
      }
    }),
    propertyParameters({ short: 60, full: 180 }),
  );
});
