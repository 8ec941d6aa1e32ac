import fc from 'fast-check';
import { askPlan } from '../arbitraries/asking.ts';
import { authorizationPlan, type MessageKind, message_kinds } from '../arbitraries/authorizations.ts';
import { byHandPlans } from '../arbitraries/by-hand.ts';
import { cardPlan, flawedCard, updatePlan } from '../arbitraries/cards.ts';
import { clearingFirstPlan, clearingPlan, sharedReferencePlan } from '../arbitraries/clearings.ts';
import { clockMove } from '../arbitraries/clocks.ts';
import { guessPlan } from '../arbitraries/codes.ts';
import { freezePlan } from '../arbitraries/freezes.ts';
import { holdDays, lateIncrementPlan, releasePlan, specialDayPlan } from '../arbitraries/holds.ts';
import { seldom } from '../arbitraries/picks.ts';
import { crashPlan, lostAnswersPlan, racePlan } from '../arbitraries/races.ts';
import { almostRepeatedPlan } from '../arbitraries/repeats.ts';
import { earlyReversalPlan, reversalPlan } from '../arbitraries/reversals.ts';
import { type Choice, choose } from '../choice.ts';
import { type FaultName, fault_names } from '../faults.ts';
import { clearAmongSeveral, matchByHand, releaseHold } from './by-hand.ts';
import {
  advanceClock,
  askCompany,
  cancelCard,
  createCard,
  createFlawedCard,
  freezeCard,
  readCard,
  setHoldDays,
  updateCard,
} from './cards.ts';
import type { Command, CommandMaker } from './command.ts';
import {
  almostRepeat,
  authorize,
  authorizeTogether,
  clear,
  clearBeforeCard,
  clearFirst,
  guessCode,
  holdToSpecialDay,
  increaseLate,
  repeatAuthorization,
  repeatClearing,
  repeatRefused,
  reverse,
  reverseEarly,
  undoCopy,
} from './messages.ts';
import { crash, loseAnswers, race } from './race.ts';

/** A kind of command, how often it is drawn, and its plans. */
interface Drawn<Name extends string> {
  readonly name: Name;
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<Command>;
  /** The fault that it injects, without which it is left out. */
  readonly fault: FaultName | null;
}

function drawn<Name extends string, Plan>(
  weight: number,
  maker: CommandMaker<Name, Plan>,
  plans: fc.Arbitrary<Plan>,
  fault: FaultName | null = null,
): Drawn<Name> {
  return { name: maker.command_name, weight, arbitrary: plans.map(maker), fault };
}

function kindsOfCommands(messages: readonly MessageKind[]) {
  const card_pick = fc.nat({ max: 5 });
  const earlierMessage = (max: number) => fc.record({ card_pick, message_pick: fc.nat({ max }) });
  return [
    drawn(12, authorize, authorizationPlan(messages)),
    drawn(9, clear, clearingPlan()),
    drawn(3, clearFirst, clearingFirstPlan()),
    drawn(3, advanceClock, clockMove()),
    drawn(3, reverse, reversalPlan()),
    drawn(2, reverseEarly, earlyReversalPlan()),
    drawn(3, increaseLate, lateIncrementPlan()),
    drawn(1, holdToSpecialDay, specialDayPlan()),
    drawn(2, clearAmongSeveral, sharedReferencePlan()),
    drawn(3, matchByHand, byHandPlans()),
    drawn(2, releaseHold, releasePlan()),
    drawn(1, guessCode, guessPlan()),
    drawn(1, setHoldDays, holdDays()),
    drawn(2, askCompany, askPlan(messages)),
    drawn(1, authorizeTogether, fc.array(authorizationPlan(messages), { minLength: 2, maxLength: 4 })),
    drawn(4, race, racePlan(messages)),
    drawn(4, loseAnswers, lostAnswersPlan(messages), 'lost_answer'),
    drawn(4, crash, crashPlan(messages), 'crash'),
    drawn(2, updateCard, fc.record({ card_pick, plan: updatePlan() })),
    drawn(1, createCard, cardPlan()),
    drawn(1, createFlawedCard, flawedCard()),
    drawn(1, clearBeforeCard, fc.record({ clearing: clearingPlan(), card: cardPlan() })),
    drawn(1, cancelCard, card_pick),
    drawn(1, freezeCard, freezePlan(messages)),
    drawn(1, readCard, card_pick),
    drawn(1, repeatAuthorization, earlierMessage(30)),
    drawn(2, almostRepeat, almostRepeatedPlan(messages)),
    drawn(1, repeatClearing, earlierMessage(10)),
    drawn(1, undoCopy, earlierMessage(10)),
    drawn(3, repeatRefused, fc.record({ at: fc.nat({ max: 10 }), is_replay: seldom(3).map((again) => !again) })),
  ];
}

export type CommandName = ReturnType<typeof kindsOfCommands>[number]['name'];

interface SequenceOptions {
  readonly commands_max: number;
  readonly commands?: Choice<CommandName> | undefined;
  readonly messages?: Choice<MessageKind> | undefined;
  readonly faults?: readonly FaultName[] | undefined;
  /** Reproduces a failure. */
  readonly replay_path?: string | undefined;
}

/** The commands that send messages of the chosen kinds. */
const sending: readonly CommandName[] = ['authorize', 'authorize together', 'race', 'lose answers', 'crash'];

/** The chosen commands, and the kinds of messages that they send. */
export function meansOf(options: SequenceOptions): ReadonlySet<CommandName | MessageKind> {
  const names = chosenCommands(options).map(({ name }) => name);
  return new Set([...names, ...(names.some((name) => sending.includes(name)) ? chosenMessages(options) : [])]);
}

function chosenMessages({ messages = {} }: SequenceOptions): readonly MessageKind[] {
  const all = message_kinds.map((name) => ({ name }));
  return choose('message', all, messages).map(({ name }) => name);
}

function chosenFaults({ faults = [] }: SequenceOptions): readonly FaultName[] {
  if (faults.length === 0) return [];
  const all = fault_names.map((name) => ({ name }));
  return choose<FaultName, { name: FaultName }>('fault', all, { include: faults }).map(({ name }) => name);
}

function chosenCommands(options: SequenceOptions): readonly Drawn<CommandName>[] {
  const { commands = {} } = options;
  const faults = chosenFaults(options);
  const all = kindsOfCommands(chosenMessages(options));
  return choose<CommandName, Drawn<CommandName>>('command', all, commands).filter(
    ({ fault }) => fault === null || faults.includes(fault),
  );
}

/** Sequences of commands of the chosen kinds. */
export function commandSequence(options: SequenceOptions): fc.Arbitrary<Iterable<Command>> {
  const { commands_max, replay_path } = options;
  // fast-check draws evenly from the list, so a kind is in it as often as its weight says.
  const kinds = chosenCommands(options).flatMap(({ weight, arbitrary }) =>
    Array.from({ length: weight }, () => arbitrary),
  );
  return fc.commands(kinds, {
    maxCommands: commands_max,
    size: 'max',
    ...(replay_path === undefined ? {} : { replayPath: replay_path }),
  });
}
