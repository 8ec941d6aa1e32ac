import type { CardVault, Network } from '@tallystick/cards';
import type { Random } from '@tallystick/kernel';
import type { Operation } from './operation.ts';
import { virtualCardOperations } from './virtual-cards/operations.ts';

/** The ports that the operations need. */
export interface OperationPorts {
  readonly network: Network;
  readonly vault: CardVault;
  readonly random: Random;
}

/** Returns everything that the system can do. */
export function listOperations(ports: OperationPorts): readonly Operation[] {
  return [...virtualCardOperations(ports)];
}
