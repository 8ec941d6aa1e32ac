import { authorisation_ms } from '@tallystick/consents';

/** How long what the server issues lasts, in seconds. */
export const lifetime_s = {
  /** Short, because a third party gets the next one with its refresh token. */
  access_token: 600,
  client_credentials: 600,
  code: 60,
  id_token: 600,
  /** From the page to the user's decision. */
  interaction: 1_800,
  /** The library writes sessions, and they are not stored (`libraryAdapter`). */
  session: 600,
  /** The authorisation of a user, and with it all refresh tokens (decision: authorisation). */
  grant: authorisation_ms / 1_000,
} as const;

/** The longest time between `nbf` and `exp` of a request object. */
export const request_object_s_max = 3_600;

/** The longest time from now to the `exp` of a client assertion. */
export const assertion_s_max = 3_600;

/** How far the clocks of a third party and of this machine may differ, in seconds. */
export const clock_tolerance_s = 15;
