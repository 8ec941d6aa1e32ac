import type { Consent } from '@tallystick/consents';
import { type Invariant, type Step, skew_ms_max } from './invariant.ts';

const next: Readonly<Record<string, readonly string[]>> = {
  AwaitingAuthorisation: ['Authorised', 'Rejected'],
  Authorised: ['Revoked'],
  Rejected: [],
  Revoked: [],
};

export const consents_move_forward: Invariant = {
  name: 'consents move forward',
  says: 'a consent moves by the allowed transitions, its expiration never changes, and account access is never Revoked',
  begin: () => ({
    *step(step) {
      for (const { key, before, after } of step.changes('consents')) {
        if (after === undefined) {
          if (before !== undefined && before.authorised_at_ms !== null)
            yield `consent ${key} is gone, and a user authorised it`;
          continue;
        }
        const what = `consent ${key} (${after.kind})`;
        if (after.kind === 'account_access' && after.status === 'Revoked') yield `${what} is Revoked`;
        if (before === undefined) {
          if (after.status !== 'AwaitingAuthorisation') yield `${what} begins as ${after.status}`;
          continue;
        }
        const is_moved = before.status !== after.status;
        if (is_moved && !next[before.status]!.includes(after.status))
          yield `${what}: ${before.status} to ${after.status}`;
        for (const name of ['expiration_date_time', 'expires_at_ms', 'client_id', 'consent_id'] as const) {
          if (before[name] !== after[name]) yield `${what}: ${name} changed`;
        }
      }
    },
  }),
};

const day_ms = 24 * 60 * 60 * 1_000;

/** When the access that a user gave ended or will end; null: nobody gave any. */
function endOfAccess(consent: Consent): number | null {
  const { authorised_at_ms, withdrawn_at_ms, stopped_at_ms, deleted_at_ms, expires_at_ms } = consent;
  if (authorised_at_ms === null) return null;
  const { tokens_revoked_at_ms, tokens_end_at_ms } = consent;
  const lapses = tokens_end_at_ms ?? authorised_at_ms + 90 * day_ms;
  const ends = [withdrawn_at_ms, stopped_at_ms, deleted_at_ms, expires_at_ms, tokens_revoked_at_ms, lapses];
  return Math.min(...ends.filter((end) => end !== null));
}

const token_models: ReadonlySet<string> = new Set(['AccessToken', 'RefreshToken', 'AuthorizationCode', 'Grant']);

/** Ends of which the tokens are removed in the same transaction. */
function isEnded({ withdrawn_at_ms, stopped_at_ms, deleted_at_ms, status }: Consent): boolean {
  return (withdrawn_at_ms ?? stopped_at_ms ?? deleted_at_ms) !== null || status === 'Revoked';
}

function consentOf({ state }: Step, consent_id: string): Consent | undefined {
  return state.consents.values().find((one) => one.consent_id === consent_id);
}

export const no_token_outlives_its_consent: Invariant = {
  name: 'no token outlives its consent',
  says: 'what a user withdrew, a third party deleted or the bank stopped leaves no token, and none is accepted after the end',
  begin() {
    let read = 0;
    return {
      *step(step) {
        const ended = step
          .changes('consents')
          .flatMap(({ after }) => (after !== undefined && isEnded(after) ? [after] : []));
        const fresh = step
          .changes('authorisation_records')
          .flatMap(({ after }) => (after === undefined ? [] : [after]));
        if (ended.length > 0) {
          const ids = new Set(ended.map(({ consent_id }) => consent_id));
          const written = new Set(fresh.map(({ id }) => id));
          for (const { id, model, consent_id } of step.state.authorisation_records.values()) {
            if (token_models.has(model) && consent_id !== null && ids.has(consent_id) && !written.has(id)) {
              yield `${model} ${id} outlives its consent ${consent_id}`;
            }
          }
        }
        for (const { id, model, consent_id, grant_id, expires_at_ms, ends_by } of fresh) {
          if (!token_models.has(model) || consent_id === null) continue;
          const consent = consentOf(step, consent_id);
          // A token that is issued while its consent ends has no grant, and is worth nothing.
          const has_grant =
            model === 'Grant' || step.state.authorisation_records.values().some(({ id_hash }) => id_hash === grant_id);
          if (has_grant && (consent === undefined || isEnded(consent)))
            yield `${model} ${id} is of consent ${consent_id}, which has ended`;
          else if (consent !== undefined && model === 'RefreshToken' && ends_by === 'service') {
            // It is written after the authorisation. What is accepted ends with that (below).
            const last_ms = step.now_ms + skew_ms_max + 90 * day_ms;
            if (expires_at_ms === null || expires_at_ms > last_ms)
              yield `${model} ${id} ends at ${expires_at_ms}, not by ${last_ms}`;
          }
        }
        const uses = step.history.token_uses.slice(read);
        read = step.history.token_uses.length;
        for (const { at_ms, consent_id, grant, is_accepted } of uses) {
          if (!is_accepted) continue;
          const consent = consentOf(step, consent_id);
          const end_ms = consent === undefined ? null : endOfAccess(consent);
          if (end_ms === null || end_ms + skew_ms_max < at_ms)
            yield `the ${grant} token of consent ${consent_id} was accepted at ${at_ms}, after ${end_ms}`;
        }
      },
    };
  },
};

const needed: Readonly<Record<'accounts' | 'balances', readonly string[]>> = {
  accounts: ['ReadAccountsBasic', 'ReadAccountsDetail'],
  balances: ['ReadBalances'],
};

export const reads_are_permitted: Invariant = {
  name: 'reads are permitted',
  says: 'a third party that is not suspended reads what the user allowed, of accounts that the user may view',
  begin() {
    let read = 0;
    return {
      *step(step) {
        const uses = step.history.token_uses.slice(read);
        read = step.history.token_uses.length;
        for (const { consent_id, is_accepted, read: what } of uses) {
          const consent = consentOf(step, consent_id);
          if (!is_accepted || consent === undefined) continue;
          const { client_id, user_id } = consent;
          const third_party = step.state.third_parties.values().find((one) => one.client_id === client_id);
          if (third_party?.status === 'suspended')
            yield `a token of ${consent_id} was accepted of a suspended third party`;
          if (what === undefined) continue;
          const permissions: readonly string[] = 'permissions' in consent ? consent.permissions : [];
          if (!needed[what.resource].some((one) => permissions.includes(one)))
            yield `${what.resource} were read by ${consent_id}, which permits ${permissions.join(' ')}`;
          const user = step.state.bank_users.get(user_id ?? '');
          if (user?.status !== 'active' || !user.viewable_accounts.includes(what.account_number))
            yield `${what.account_number} was read by ${consent_id}, whose user may not view it`;
        }
      },
    };
  },
};
