import type { AuthorisationStore } from '@tallystick/consents';
import type { Session } from '../connection/session.ts';

export function authorisationStore(_session: Session): AuthorisationStore {
  return {} as AuthorisationStore;
}
