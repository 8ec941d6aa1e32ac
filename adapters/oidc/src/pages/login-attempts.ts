import type { UserLogin } from '@tallystick/consents';
import { no_links, type Records } from '../records.ts';

/** Failed attempts of one user name within a period. Then all fail, until the next period. */
const failed_attempts_max = 10;
const period_s = 900;
const model = 'LoginAttempt';

export interface Credentials {
  readonly user_name: string;
  readonly password: string;
}

/**
 * Logs users in, and bounds the attempts by user name, over all nodes. Returns null alike for an
 * unknown name, a wrong password, and too many attempts.
 */
export function createBoundedLogin(records: Records, users: UserLogin) {
  return async ({ user_name, password }: Credentials): Promise<string | null> => {
    if (user_name === '' || password === '' || user_name.length > 255 || password.length > 1_024) return null;
    // Machine time: the sandbox's clock may stand still.
    const period = Math.floor(Date.now() / (period_s * 1_000));
    // A bank may take these names for one.
    const name = user_name.normalize('NFKC').trim().toLowerCase();
    const bound = { name: `${period} ${name}`, failed_max: failed_attempts_max, kept_s: 2 * period_s };
    const user_id = await attempt(records, bound, () => users.authenticate({ user_name, password }));
    return user_id === too_many_attempts ? null : user_id;
  };
}

export type BoundedLogin = ReturnType<typeof createBoundedLogin>;

export const too_many_attempts = Symbol('too many attempts');

interface Bound {
  /** Attempts with the same name share one bound. */
  readonly name: string;
  readonly failed_max: number;
  /** How long a failed attempt counts, in seconds. */
  readonly kept_s: number;
}

/**
 * Attempts something, where null is a failure. An attempt takes one of the places of the bound
 * before it begins, so that concurrent attempts are bounded on all nodes. A success returns its
 * place, and so does an error.
 */
export async function attempt<Result>(
  records: Records,
  { name, failed_max, kept_s }: Bound,
  work: () => Promise<Result | null>,
): Promise<Result | null | typeof too_many_attempts> {
  const taken = await records.run(async (tx) => {
    for (let place = 0; place < failed_max; place += 1) {
      const id = `${place} ${name}`;
      if (await tx.authorisation.putNew(records.seal({ model, id }, {}, no_links, kept_s))) return id;
    }
    return null;
  });
  if (taken === null) return too_many_attempts;
  const giveBack = () => records.run(({ authorisation }) => authorisation.end(model, records.hashOf(taken)));
  try {
    const result = await work();
    if (result !== null) await giveBack();
    return result;
  } catch (error) {
    await giveBack();
    throw error;
  }
}
