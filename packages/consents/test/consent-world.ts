import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import {
  type AccountAccessConsent,
  authoriseConsent,
  type ConsentsTx,
  createAccountAccessConsent,
  createFundsConfirmationConsent,
  type FundsConfirmationConsent,
  type GrantedCall,
  OpenBankingRefusal,
  type Permission,
  permissions,
} from '@tallystick/consents';
import { fixedClock, type Random, Refusal } from '@tallystick/kernel';
import { memoryPersistence } from '@tallystick/memory';
import { BankWorld, now_ms } from './bank-world.ts';

export const random: Random = { below: (bound) => randomInt(bound), bytes: (count) => randomBytes(count) };

export const third_party_call = { client_id: 'tpp', request_id: 'r-1', now_ms };

export const decision_call = { actor: 'user:ana', request_id: 'r-2', now_ms };

/** All permissions. */
export const all_permissions: readonly Permission[] = permissions;

export const user_id = 'ana';

/** Storage in memory, with a bank. */
export class ConsentWorld {
  readonly persistence = memoryPersistence({ clock: fixedClock(now_ms) });
  readonly bank = new BankWorld();
  readonly ports = { bank: this.bank, random };

  run<Result>(work: (tx: ConsentsTx) => Promise<Result>): Promise<Result> {
    return this.persistence.unitOfWork.run(work);
  }

  read<Result>(work: (tx: ConsentsTx) => Promise<Result>): Promise<Result> {
    return this.persistence.unitOfWork.read(work);
  }

  /** The actions of the audit log, the oldest first. */
  async audited(): Promise<readonly string[]> {
    const { items } = await this.read((tx) => tx.audit.list({}, { limit: 100 }));
    return items.map(({ action }) => action).toReversed();
  }

  postAccess(body: unknown): Promise<AccountAccessConsent> {
    return this.run((tx) => createAccountAccessConsent(tx, this.ports, third_party_call, body));
  }

  postFunds(body: unknown): Promise<FundsConfirmationConsent> {
    return this.run((tx) => createFundsConfirmationConsent(tx, this.ports, third_party_call, body));
  }

  requestAccess(data: object = {}): Promise<AccountAccessConsent> {
    return this.postAccess({ Data: { Permissions: all_permissions, ...data }, Risk: {} });
  }

  requestFunds(data: object = {}): Promise<FundsConfirmationConsent> {
    const account = { SchemeName: 'Tallystick.AccountNumber', Identification: '1000000001' };
    return this.postFunds({ Data: { DebtorAccount: account, ...data } });
  }

  async grantAccess(data: object = {}, account_numbers?: readonly string[]): Promise<AccountAccessConsent> {
    const { consent_id } = await this.requestAccess(data);
    const numbers = account_numbers ?? this.bank.users[0]!.viewable_accounts;
    const decision = { consent_id, user_id, account_numbers: numbers };
    const granted = await this.run((tx) => authoriseConsent(tx, this.ports, decision_call, decision));
    assert(granted.kind === 'account_access');
    return granted;
  }

  async grantFunds(data: object = {}): Promise<FundsConfirmationConsent> {
    const { consent_id } = await this.requestFunds(data);
    const decision = { consent_id, user_id, account_numbers: [] };
    const granted = await this.run((tx) => authoriseConsent(tx, this.ports, decision_call, decision));
    assert(granted.kind === 'funds_confirmation');
    return granted;
  }
}

/** The call with a token of the consent. */
export function callOf(
  { consent_id }: { readonly consent_id: string },
  changes: Partial<GrantedCall> = {},
): GrantedCall {
  return { ...third_party_call, consent_id, user_id, ...changes };
}

/** The refusal of the work: its kind, and the code and the path of each problem. */
export async function problemsOf(work: Promise<unknown>): Promise<readonly string[]> {
  const [outcome] = await Promise.allSettled([work]);
  assert(outcome.status === 'rejected', 'it was not refused');
  const error: unknown = outcome.reason;
  assert(error instanceof OpenBankingRefusal, `it rejected with ${String(error)}`);
  for (const { message } of error.problems) assert(message.length >= 1 && message.length <= 500, message);
  return [error.kind, ...error.problems.map(({ code, path }) => (path === undefined ? code : `${code} ${path}`))];
}

/** The code of a refusal of the domain. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  const [outcome] = await Promise.allSettled([work]);
  assert(outcome.status === 'rejected', 'it was not refused');
  assert(outcome.reason instanceof Refusal, `it rejected with ${String(outcome.reason)}`);
  return outcome.reason.code;
}
