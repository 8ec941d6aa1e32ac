import {
  authoriseConsent,
  createAccountAccessConsent,
  deleteConsent,
  type GrantedCall,
  grant_model,
  OpenBankingRefusal,
  readAccounts,
  readBalances,
  registerThirdParty,
  setThirdPartyStatus,
  type ThirdPartyCall,
} from '@tallystick/consents';
import type { Clock, UnitOfWork } from '@tallystick/kernel';
import type { Tx } from '@tallystick/mikro-orm';
import { createAccessTokens, createRecords, no_links, type Records } from '@tallystick/oidc';
import type { Vault } from '@tallystick/vault';

const access_token_s = 600;
const code_s = 60;
const authorisation_s = 90 * 86_400;

/** A refusal of Open Banking, or of the authorisation server. */
export interface Denied {
  readonly denied: string;
}

export type Resource = 'accounts' | 'balances';

export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
}

/**
 * Open Banking in one process: the use cases of consents, and the records of the authorisation
 * server. Its library takes time and chance of its own, so its steps are made here: each record in a
 * transaction of its own, as the library stores them.
 */
export class Authorisation {
  readonly #unitOfWork: UnitOfWork<Tx>;
  readonly #clock: Clock;
  readonly #vault: Vault;
  readonly #records: Records;

  constructor(unitOfWork: UnitOfWork<Tx>, clock: Clock, vault: Vault) {
    const { sealer, sha256 } = vault;
    this.#unitOfWork = unitOfWork;
    this.#clock = clock;
    this.#vault = vault;
    this.#records = createRecords({ unitOfWork, clock, machine_clock: clock, sealer, sha256 });
  }

  async register(client_id: string): Promise<number> {
    const request = {
      client_id,
      name: 'Third party',
      scopes: ['accounts', 'fundsconfirmations'],
      redirect_uris: ['https://tpp.example.com/callback'],
      jwks_uri: 'https://tpp.example.com/jwks',
    };
    const ports = { random: this.#vault.random, url_policy: () => null };
    const made = await this.#unitOfWork.run((tx) => registerThirdParty(tx, ports, this.#operatorCall(), request));
    return made.id;
  }

  async setStatus(id: number, status: 'active' | 'suspended'): Promise<void> {
    await this.#unitOfWork.run((tx) => setThirdPartyStatus(tx, this.#operatorCall(), id, status));
  }

  async createConsent(client_id: string, data: object): Promise<string> {
    const created = await this.#unitOfWork.run((tx) =>
      createAccountAccessConsent(tx, this.#vault, this.#callOf(client_id), { Data: data, Risk: {} }),
    );
    return created.consent_id;
  }

  async deleteConsent(client_id: string, consent_id: string): Promise<Denied | null> {
    return await orDenied(async () => {
      await this.#unitOfWork.run((tx) => deleteConsent(tx, this.#callOf(client_id), 'account_access', consent_id));
      return null;
    });
  }

  /** The user authorises the consent. Returns the code of the authorisation. */
  async authorise(consent_id: string, user_id: string): Promise<string> {
    const now_ms = this.#clock.nowMs();
    const records = this.#records;
    const grant_id = this.#drawToken();
    const consent = await records.run(async (tx) => {
      const authorised = await authoriseConsent(
        tx as Tx,
        { bank: tx.bank },
        { actor: user_id, request_id: null, now_ms },
        { consent_id, user_id, account_numbers: null },
      );
      const { client_id, expires_at_ms } = authorised;
      const left_s = expires_at_ms === null ? authorisation_s : Math.floor((expires_at_ms - now_ms) / 1_000);
      const links = { ...no_links, client_id, consent_id, user_id };
      const expires_in_s = Math.max(1, Math.min(authorisation_s, left_s));
      await tx.authorisation.put(
        records.seal({ model: grant_model, id: grant_id }, { client_id }, links, expires_in_s),
      );
      return authorised;
    });
    const code = this.#drawToken();
    await this.#issue('AuthorizationCode', code, { grant_id, client_id: consent.client_id, consent_id }, code_s);
    return code;
  }

  /** Exchanges a code, or uses a refresh token, for an access token. `accepted` is called when it is accepted. */
  async token(
    kind: 'AuthorizationCode' | 'RefreshToken',
    id: string,
    accepted: (now_ms: number) => void,
  ): Promise<TokenPair | Denied> {
    const records = this.#records;
    const found = await records.read(async (tx) => {
      const record = await records.find(tx, { model: kind, id });
      if (record === null || record.grant_id === null || record.consumed_at_ms !== null) return null;
      const grant = await tx.authorisation.find(grant_model, record.grant_id);
      if (grant === null || grant.expires_at_ms === null || grant.expires_at_ms <= records.nowMs()) return null;
      const third_party = await tx.third_parties.findByClientId(record.client_id!);
      if (third_party?.status !== 'active') return null;
      accepted(records.nowMs());
      return { record, left_s: leftOf(grant.expires_at_ms, records.nowMs()) };
    });
    if (found === null) return { denied: 'invalid_grant' };
    const { record, left_s } = found;
    const of = {
      grant_id: String(record.payload.grantId),
      client_id: record.client_id!,
      consent_id: record.consent_id!,
    };
    const tokens = { access_token: this.#drawToken(), refresh_token: kind === 'RefreshToken' ? id : this.#drawToken() };
    if (kind === 'AuthorizationCode') {
      const is_first = await records.run((tx) => tx.authorisation.consume(kind, records.hashOf(id), records.nowMs()));
      if (!is_first) return { denied: 'invalid_grant' };
    }
    await this.#issue('AccessToken', tokens.access_token, of, Math.min(access_token_s, left_s));
    if (kind === 'AuthorizationCode') await this.#issue('RefreshToken', tokens.refresh_token, of, left_s);
    return tokens;
  }

  /** Reads with a token. `accepted` is called when it reads. */
  async read(
    token: string,
    resource: Resource,
    account_number: string,
    accepted: (now_ms: number) => void,
  ): Promise<object | Denied> {
    const granted = await createAccessTokens(this.#records, false).find(token, null);
    if (granted === null || granted.consent_id === null || granted.user_id === null) return { denied: 'token' };
    const { client_id, consent_id, user_id } = granted;
    return await orDenied(() =>
      this.#unitOfWork.read(async (tx) => {
        const call: GrantedCall = { ...this.#callOf(client_id), consent_id, user_id };
        const ports = { bank: tx.bank };
        const page =
          resource === 'accounts'
            ? await readAccounts(tx, ports, call, account_number, { cursor: undefined })
            : await readBalances(tx, ports, call, account_number);
        accepted(call.now_ms);
        return page.Data;
      }),
    );
  }

  async #issue(
    model: string,
    id: string,
    { grant_id, client_id, consent_id }: { grant_id: string; client_id: string; consent_id: string },
    expires_in_s: number,
  ): Promise<void> {
    const records = this.#records;
    const scope = 'openid accounts';
    await records.run(async (tx) => {
      const user_id = (await tx.consents.find(consent_id))?.user_id ?? null;
      const links = { client_id, consent_id, user_id, grant_id: records.hashOf(grant_id) };
      await tx.authorisation.put(records.seal({ model, id }, { grantId: grant_id, scope }, links, expires_in_s));
    });
  }

  #callOf(client_id: string): ThirdPartyCall {
    return { client_id, request_id: null, now_ms: this.#clock.nowMs() };
  }

  #operatorCall() {
    return { actor: 'operator', request_id: null, now_ms: this.#clock.nowMs() };
  }

  #drawToken(): string {
    return Buffer.from(this.#vault.random.bytes(32)).toString('base64url');
  }
}

function leftOf(ends_at_ms: number, now_ms: number): number {
  return Math.max(1, Math.floor((ends_at_ms - now_ms) / 1_000));
}

async function orDenied<Value>(work: () => Promise<Value>): Promise<Value | Denied> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OpenBankingRefusal) return { denied: error.message };
    throw error;
  }
}
