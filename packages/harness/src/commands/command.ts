import type fc from 'fast-check';
import { text } from '../agreement.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { System } from '../system.ts';

/** One step of a sequence: does the same to the model and to the system, and compares. */
export type Command = fc.AsyncCommand<ReferenceModel, System>;

/** A kind of command. Its plans have no ids and dates, so it can run after any previous steps. */
interface CommandKind<Plan> {
  run(plan: Plan, model: ReferenceModel, system: System): Promise<void>;
  /** Default: whether there is a card. */
  isPossible?(model: Readonly<ReferenceModel>, plan: Plan): boolean;
  /** The text in a report. Default: the name and the plan. */
  show?(plan: Plan): string;
}

/** Returns a function that makes a command of the kind from a plan. */
export function command<Plan>(name: string, kind: CommandKind<Plan>): (plan: Plan) => Command {
  return (plan) => ({
    check: (model) => kind.isPossible?.(model, plan) ?? model.cards.length > 0,
    run: (model, system) => kind.run(plan, model, system),
    toString: () => kind.show?.(plan) ?? `${name} ${text(plan)}`,
  });
}
