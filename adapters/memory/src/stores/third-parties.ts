import type { ThirdPartyStore } from '@tallystick/consents';
import type { State } from '../storage/state.ts';

export function thirdPartyStore(_state: State): ThirdPartyStore {
  return {} as ThirdPartyStore;
}
