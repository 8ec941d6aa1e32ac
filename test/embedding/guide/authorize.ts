// authorize.ts
import type { AuthorizationMessage } from 'tallystick';
import { tally } from './tally.ts';

/** Returns the response code of the network (DE39). */
export async function authorize(message: AuthorizationMessage): Promise<string> {
  const { decline_reason, response_code } = await tally.network.authorize(message);
  if (decline_reason !== null) console.log(`declined: ${decline_reason}`);
  return response_code;
}
