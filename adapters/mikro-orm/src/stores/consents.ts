import type { ConsentStore } from '@tallystick/consents';
import type { Session } from '../connection/session.ts';

export function consentStore(_session: Session): ConsentStore {
  return {} as ConsentStore;
}
