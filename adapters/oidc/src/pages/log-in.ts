import { too_many_log_ins, type UserLogin } from '@tallystick/consents';
import { boundsOfRequest } from '../bounds.ts';
import type { LogInAudit } from './log-in-audit.ts';

export interface Credentials {
  readonly user_name: string;
  readonly password: string;
  /** The id of the user's step; null: outside of one. */
  readonly step: string | null;
}

/** An attempt that failed, alike for an unknown name and a wrong password. */
export interface FailedLogIn {
  readonly kind: 'failed';
  /** As it was typed. */
  readonly user_name: string;
  /** How long the next attempt takes at most, milliseconds. */
  readonly pause_ms: number;
}

export type LogInOutcome =
  | { readonly kind: 'logged_in'; readonly user_id: string }
  | { readonly kind: 'too_many' }
  | FailedLogIn;

/** The longest of what is typed, in UTF-16 units. The form has the same bounds. */
export const user_name_length_max = 255;
export const password_length_max = 1_024;

/**
 * Logs users in. Wrong passwords slow the next attempts of the same address and of the same step
 * (ADR 0059).
 */
export function createLogIn(users: UserLogin, audit: LogInAudit) {
  return async ({ user_name, password, step }: Credentials): Promise<LogInOutcome> => {
    // A bank may take these names for one.
    const name = user_name.slice(0, user_name_length_max).normalize('NFKC').trim().toLowerCase();
    const bounds = boundsOfRequest();
    const attempt = { user_name: name, step };
    const work = async () => {
      const user_id = await users.authenticate({ user_name, password });
      await (user_id === null ? audit.failed(name) : audit.succeeded(user_id));
      return user_id;
    };
    const is_complete = user_name !== '' && password !== '';
    const is_short = user_name.length <= user_name_length_max && password.length <= password_length_max;
    const user_id = !(is_complete && is_short)
      ? null
      : bounds === null
        ? await work()
        : await bounds.logIn(attempt, work);
    if (user_id === too_many_log_ins) return { kind: 'too_many' };
    if (user_id !== null) return { kind: 'logged_in', user_id };
    return { kind: 'failed', user_name, pause_ms: bounds?.logInPauseMs(attempt) ?? 0 };
  };
}

export type LogIn = ReturnType<typeof createLogIn>;
