import type { ThirdPartyStore } from '@tallystick/consents';
import type { Session } from '../connection/session.ts';

export function thirdPartyStore(_session: Session): ThirdPartyStore {
  return {} as ThirdPartyStore;
}
