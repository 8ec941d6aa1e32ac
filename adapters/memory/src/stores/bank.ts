import type { BankStore } from '@tallystick/accounts';
import type { State } from '../storage/state.ts';

export function bankStore(_state: State): BankStore {
  return {} as BankStore;
}
