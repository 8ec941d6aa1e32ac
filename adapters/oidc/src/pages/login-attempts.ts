import type { UserLogin } from '@tallystick/consents';
import { no_links, type Records } from '../records/records.ts';

/** Failed attempts of one user name within a period. Then all fail, until the next period. */
export const failed_attempts_max = 10;
const period_s = 900;
const model = 'LoginAttempt';

export interface Credentials {
  readonly user_name: string;
  readonly password: string;
}

/**
 * Logs users in, and bounds the attempts by user name, over all nodes. An attempt takes one of the
 * places of its period before the password is compared, so that attempts at once are bounded too. A
 * success gives its place back, and so does a fault of `users`. Returns null alike for an unknown
 * name, a wrong password, and too many attempts.
 */
export function createBoundedLogin(records: Records, users: UserLogin) {
  return async ({ user_name, password }: Credentials): Promise<string | null> => {
    if (user_name === '' || password === '' || user_name.length > 255 || password.length > 1_024) return null;
    // Machine time: the sandbox's clock may stand still.
    const period = Math.floor(Date.now() / (period_s * 1_000));
    // A bank may take these names for one.
    const name = user_name.normalize('NFKC').trim().toLowerCase();
    const places = Array.from({ length: failed_attempts_max }, (_, place) => `${period} ${place} ${name}`);
    const taken = await records.run(async (tx) => {
      for (const id of places) {
        if (await tx.authorisation.putNew(records.seal({ model, id }, {}, no_links, 2 * period_s))) return id;
      }
      return null;
    });
    if (taken === null) return null;
    const giveBack = () => records.run(({ authorisation }) => authorisation.end(model, records.hashOf(taken)));
    try {
      const user_id = await users.authenticate({ user_name, password });
      if (user_id !== null) await giveBack();
      return user_id;
    } catch (error) {
      await giveBack();
      throw error;
    }
  };
}

export type BoundedLogin = ReturnType<typeof createBoundedLogin>;
