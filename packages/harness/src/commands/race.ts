import { operationsOf, type RacePlan } from '../arbitraries/races.ts';
import { type Call, explainTogether, readSeen } from '../linearizability.ts';
import { command } from './command.ts';

/** Operations on one card, submitted without waiting in between. Some order must explain them. */
export const race = command('race', {
  async run(plan: RacePlan, model, system) {
    const { card, operations } = operationsOf(plan, model, system);
    const calls = await Promise.all(
      operations.map(
        async (operation): Promise<Call> => ({ operation, outcome: await operation.submit(), earlier: 'none' }),
      ),
    );
    explainTogether(model, calls, await readSeen(system, card.id));
  },
});
