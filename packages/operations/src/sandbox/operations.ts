import {
  type FollowUpRequest,
  type PurchaseRequest,
  type SimulationPorts,
  simulateClearing,
  simulatePurchase,
  simulateRefund,
  simulateReversal,
} from '@tallystick/cards';
import type { Call, ClockMove, UnitOfWork } from '@tallystick/kernel';
import type * as z from 'zod';
import { data_of_domain } from '../fields.ts';
import { decideMessage, type NetworkOperationPorts, recordClearing } from '../network/operations.ts';
import { authorization_item, clearing_item } from '../network/shapes.ts';
import {
  companyCall,
  type Operation,
  type OperationCall,
  type OperationTx,
  operation,
  shares_pass,
} from '../operation.ts';
import { clock, follow_up, type MovedClock, move_clock, purchase } from './shapes.ts';

/**
 * The parts that a sandbox has and a live installation must not have: a shared company, and a clock
 * that can be moved.
 */
export interface Sandbox {
  /** The company for which the sandbox's fixed keys act. */
  readonly company_id: number;
  /**
   * Moves the clock and does the due work, as far as possible, before it resolves. Refuses like
   * `moveSandboxClock`.
   */
  moveClock(move: ClockMove): Promise<MovedClock>;
  /**
   * Waits until the clock shows every move that another process has answered. Absent where no other
   * process moves it.
   */
  readonly refreshClock?: () => Promise<void>;
}

export interface SandboxOperationPorts extends NetworkOperationPorts, SimulationPorts {
  readonly unitOfWork: Pick<UnitOfWork<OperationTx>, 'read'>;
}

/** Makes the message that follows an authorization. */
type Simulate<Message> = (
  tx: OperationTx,
  ports: SimulationPorts,
  call: Call,
  authorization_id: number,
  wanted: FollowUpRequest,
) => Promise<Message>;

/**
 * What only a sandbox can do: move its clock, and make purchases with the company's cards in place
 * of a card network.
 */
export function sandboxOperations(ports: SandboxOperationPorts, sandbox: Sandbox): readonly Operation[] {
  const { unitOfWork } = ports;
  const following = { body: data_of_domain, documented_body: follow_up, refusals: ['conflict'] } as const;
  const follow = <Message>(simulate: Simulate<Message>, call: OperationCall<z.output<typeof data_of_domain>>) =>
    unitOfWork.read((tx) => simulate(tx, ports, companyCall(call), call.id, call.body.data as FollowUpRequest));
  return [
    operation('sandbox_clock', {
      id: 'sandbox.clock.move',
      summary: 'Move the clock forward, freeze it or release it',
      description:
        'By a duration, or to an instant. A frozen clock stays frozen until `frozen` is false. Work that becomes due is done before the result; `waiting` says what is not done yet.',
      body: move_clock,
      runs_alone: 'the due work has transactions of its own',
      answer: clock,
      async perform({ body }) {
        return await sandbox.moveClock(body.data);
      },
    }),
    operation('sandbox_purchases', {
      body: data_of_domain,
      id: 'sandbox.purchases.create',
      method: 'company.sandbox.buy',
      summary: 'Buy something with a virtual card',
      description:
        'Sends the authorization that a card network would send, with the number and the code of the card. A decline is an answer, as for a message of the network.',
      documented_body: purchase,
      refusals: ['not_found'],
      runs_alone: shares_pass,
      answer: authorization_item,
      async perform(call) {
        const wanted = call.body.data as unknown as PurchaseRequest;
        const message = await unitOfWork.read((tx) => simulatePurchase(tx, ports, companyCall(call), wanted));
        return await decideMessage(ports, message);
      },
    }),
    operation('sandbox_purchases', {
      ...following,
      id: 'sandbox.authorizations.clear',
      method: 'company.sandbox.clear',
      summary: 'Clear an authorization',
      parameters: ['id'],
      description:
        'Sends its clearing. By default for all that has not cleared; a smaller amount is a part, after which others may follow.',
      runs_alone: shares_pass,
      data_is_optional: true,
      answer: clearing_item,
      perform: async (call) => await recordClearing(ports, await follow(simulateClearing, call)),
    }),
    operation('sandbox_purchases', {
      ...following,
      id: 'sandbox.authorizations.reverse',
      method: 'company.sandbox.reverse',
      summary: 'Reverse an authorization',
      parameters: ['id'],
      description: 'Sends its reversal, by default in full. An amount is what the reversal takes away.',
      runs_alone: shares_pass,
      data_is_optional: true,
      answer: authorization_item,
      perform: async (call) => await decideMessage(ports, await follow(simulateReversal, call)),
    }),
    operation('sandbox_purchases', {
      ...following,
      id: 'sandbox.authorizations.refund',
      method: 'company.sandbox.refund',
      summary: 'Refund a cleared purchase',
      parameters: ['id'],
      description: 'Sends a clearing of the type CREDIT, by default for all that has cleared.',
      runs_alone: shares_pass,
      data_is_optional: true,
      answer: clearing_item,
      perform: async (call) => await recordClearing(ports, await follow(simulateRefund, call)),
    }),
  ];
}
