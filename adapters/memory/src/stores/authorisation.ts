import type { AuthorisationStore } from '@tallystick/consents';
import type { State } from '../storage/state.ts';

export function authorisationStore(_state: State): AuthorisationStore {
  return {} as AuthorisationStore;
}
