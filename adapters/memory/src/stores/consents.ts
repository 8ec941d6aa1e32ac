import type { ConsentStore } from '@tallystick/consents';
import type { State } from '../storage/state.ts';

export function consentStore(_state: State): ConsentStore {
  return {} as ConsentStore;
}
