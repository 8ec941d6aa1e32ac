import type fc from 'fast-check';
import { text } from '../agreement.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { CapabilityName, System, SystemWith } from '../system.ts';

/** One step of a sequence: does the same to the model and to the system, and compares. */
export type Command = fc.AsyncCommand<ReferenceModel, System>;

/** A kind of command. Its plans have no ids and dates, so it can run after any previous steps. */
interface CommandKind<Plan, Need extends CapabilityName> {
  /** Without these capabilities the command is left out. */
  readonly needs?: readonly Need[];
  run(plan: Plan, model: ReferenceModel, system: SystemWith<Need>): Promise<void>;
  /** Default: whether there is a card. */
  isPossible?(model: Readonly<ReferenceModel>, plan: Plan): boolean;
  /** The text in a report. Default: the name and the plan. */
  show?(plan: Plan): string;
}

/** Makes a command of one kind from a plan. */
export interface CommandMaker<Name extends string, Plan> {
  (plan: Plan): Command;
  readonly command_name: Name;
}

export function command<const Name extends string, Plan, Need extends CapabilityName = never>(
  command_name: Name,
  kind: CommandKind<Plan, Need>,
): CommandMaker<Name, Plan> {
  const needs = kind.needs ?? [];
  const make = (plan: Plan): Command => ({
    check: (model) =>
      !model.is_undecided &&
      needs.every((name) => model.capabilities.has(name)) &&
      (kind.isPossible?.(model, plan) ?? model.cards.length > 0),
    run: (model, system) => kind.run(plan, model, system as SystemWith<Need>),
    toString: () => kind.show?.(plan) ?? `${command_name} ${text(plan)}`,
  });
  return Object.assign(make, { command_name });
}
