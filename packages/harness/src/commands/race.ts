import {
  type CrashPlan,
  type Hearing,
  type LostAnswersPlan,
  operationsOf,
  type RacePlan,
} from '../arbitraries/races.ts';
import { type Call, explainTogether, readSeen } from '../linearizability.ts';
import type { Operation } from '../operation.ts';
import type { ReferenceModel } from '../reference/model.ts';
import { command } from './command.ts';

/** Operations on one card, submitted without waiting in between. Some order must explain them. */
export const race = command('race', {
  async run(plan: RacePlan, model, system) {
    const { card, operations } = operationsOf(plan, model, system);
    const calls = await Promise.all(operations.map(callOnce));
    explainTogether(model, calls, await readSeen(system, card.id));
  },
});

/** A race in which answers are lost. Each operation must have one effect. */
export const loseAnswers = command('lose answers', {
  async run({ hearings, ...plan }: LostAnswersPlan, model, system) {
    const { card, operations } = operationsOf(plan, model, system);
    const calls = operations.map((operation, at) => callTwice(model, operation, hearings[at] ?? 'heard'));
    explainTogether(model, await Promise.all(calls), await readSeen(system, card.id));
  },
});

/**
 * Operations, some of them answered, and a crash while the others are in flight. What was answered
 * must have happened. What was not answered is sent again, and must have happened once.
 */
export const crash = command('crash', {
  needs: ['crash'],
  async run({ answered, ...plan }: CrashPlan, model, system) {
    const { card, operations } = operationsOf(plan, model, system);
    const before = await Promise.all(operations.slice(0, answered).map(callOnce));
    const others = operations.slice(answered);
    const in_flight = Promise.allSettled(others.map((operation) => operation.submit()));
    const { committed, rolled_back } = (await system.crash()) ?? {};
    const results = await in_flight;
    const after = others.map(async (operation, at): Promise<Call> => {
      const result = results[at]!;
      if (result.status === 'fulfilled') return { operation, outcome: result.value, earlier: 'none' };
      return { operation, outcome: await operation.submit(), earlier: 'perhaps' };
    });
    explainTogether(model, [...before, ...(await Promise.all(after))], await readSeen(system, card.id));
    for (const [at, { kind }] of others.entries()) {
      if (results[at]!.status === 'rejected') model.noteFault(`crash: ${kind} in flight`);
    }
    if (others.length === 0) model.noteFault('crash: nothing in flight');
    if (rolled_back !== undefined) model.noteFault('crash: before a commit', Math.sign(rolled_back));
    if (committed !== undefined) model.noteFault('crash: after a commit', Math.sign(committed));
  },
});

async function callOnce(operation: Operation): Promise<Call> {
  return { operation, outcome: await operation.submit(), earlier: 'none' };
}

async function callTwice(model: ReferenceModel, operation: Operation, hearing: Hearing): Promise<Call> {
  if (hearing === 'heard') return callOnce(operation);
  const is_in_flight = hearing === 'late' && ['authorize', 'clear'].includes(operation.kind);
  const first = operation.submit();
  if (!is_in_flight) await first;
  const [outcome] = await Promise.all([operation.submit(), first]);
  model.noteFault(is_in_flight ? 'lost answer: sent again in flight' : `lost answer: ${operation.kind}`);
  return { operation, outcome, earlier: 'done' };
}
