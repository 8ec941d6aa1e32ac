import type { too_many_log_ins, UserLogin } from '@tallystick/consents';
import { boundsOfRequest } from '../bounds.ts';
import type { LogInAudit } from './log-in-audit.ts';

export interface Credentials {
  readonly user_name: string;
  readonly password: string;
  /** The id of the user's step; null: outside of one. */
  readonly step: string | null;
}

/**
 * Logs users in. Wrong passwords slow the next attempts of the same address and of the same step
 * (ADR 0059). Returns null alike for an unknown name and a wrong password.
 */
export function createLogIn(users: UserLogin, audit: LogInAudit) {
  return async ({ user_name, password, step }: Credentials): Promise<string | null | typeof too_many_log_ins> => {
    if (user_name === '' || password === '' || user_name.length > 255 || password.length > 1_024) return null;
    // A bank may take these names for one.
    const name = user_name.normalize('NFKC').trim().toLowerCase();
    const work = async () => {
      const user_id = await users.authenticate({ user_name, password });
      await (user_id === null ? audit.failed(name) : audit.succeeded(user_id));
      return user_id;
    };
    const bounds = boundsOfRequest();
    return bounds === null ? await work() : await bounds.logIn({ user_name: name, step }, work);
  };
}

export type LogIn = ReturnType<typeof createLogIn>;
