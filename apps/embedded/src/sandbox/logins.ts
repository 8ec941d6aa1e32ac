import { type PeopleTx, person_roles } from '@tallystick/access';
import type { BankStore } from '@tallystick/accounts';
import type { ThirdParty, ThirdPartyStore, UserLogin } from '@tallystick/consents';
import type { UnitOfWork } from '@tallystick/kernel';

/** The redirect address of the sandbox's third parties. Nothing listens there. */
const redirect_uri = 'https://localhost/callback';

/**
 * The third parties of the sandbox (decision: sandbox). Each authenticates with the public secret
 * `<client_id>-secret`, and is refused outside the sandbox.
 */
export const sandbox_third_parties: readonly Pick<ThirdParty, 'client_id' | 'name' | 'scopes'>[] = [
  { client_id: 'sandbox-aisp', name: 'Sandbox budget planner', scopes: ['accounts'] },
  { client_id: 'sandbox-aisp-2', name: 'Sandbox accounting', scopes: ['accounts'] },
  { client_id: 'sandbox-cbpii', name: 'Sandbox card issuer', scopes: ['fundsconfirmations'] },
];

/** Adds the third parties of the sandbox that the database does not have yet. */
export async function seedThirdParties(
  { third_parties }: { readonly third_parties: Pick<ThirdPartyStore, 'findByClientId' | 'insert'> },
  now_ms: number,
): Promise<void> {
  for (const third_party of sandbox_third_parties) {
    if ((await third_parties.findByClientId(third_party.client_id)) !== null) continue;
    await third_parties.insert({
      ...third_party,
      redirect_uris: [redirect_uri],
      jwks: null,
      jwks_uri: null,
      certificate_subject: null,
      id_token_signed_response_alg: 'PS256',
      is_sandbox: true,
      status: 'active',
      created_at_ms: now_ms,
    });
  }
}

/** Adds the sandbox's people of the console that the database lacks: one for each role. */
export async function seedPeople({ people }: Pick<PeopleTx, 'people'>, now_ms: number): Promise<void> {
  for (const role of person_roles) {
    if ((await people.findByHandle(role)) !== null) continue;
    await people.insert({
      handle: role,
      name: `Sandbox ${role}`,
      issuer: null,
      subject: null,
      password_hash: null,
      totp_secret_sealed: null,
      totp_last_step: null,
      status: 'active',
      grants: [{ role, company_id: null }],
      created_at_ms: now_ms,
    });
  }
}

/** The password of every user of the sandbox. It is public. */
export const sandbox_password = 'sandbox';

/** The login of the sandbox: the name is the id of a user of the bank. */
export function sandboxUserLogin(
  unitOfWork: Pick<UnitOfWork<{ readonly bank: Pick<BankStore, 'findUser'> }>, 'read'>,
): UserLogin {
  return {
    async authenticate({ user_name, password }) {
      if (password !== sandbox_password) return null;
      return (await unitOfWork.read((tx) => tx.bank.findUser(user_name)))?.user_id ?? null;
    },
  };
}
