import type { BankStore } from '@tallystick/accounts';
import type { Session } from '../connection/session.ts';

export function bankStore(_session: Session): BankStore {
  return {} as BankStore;
}
