import { windowAt } from '@tallystick/velocity';
import { decisionOf, outcomeOf, type ShownDecision } from '../deciding/explain-decision.ts';
import { foldMessages } from '../deciding/fold-messages.ts';
import {
  type Authorization,
  approvedAmount,
  brokenReasonOf,
  type DeclineCode,
  limitAmount,
  limitCurrency,
  type MessageType,
} from '../records/authorization.ts';
import type { CardAct, CopyFields } from '../records/card-act.ts';
import type { NetworkMessage } from '../records/ledger.ts';
import type { PassPorts } from '../working/pass.ts';
import { type ChangedTemplate, type ControlsChange, changedCard } from './controls-change.ts';
import type { Happening, History } from './history.ts';
import {
  cardForMessage,
  drawOf,
  holdDaysOf,
  messageOfAct,
  messageOfAuthorization,
  messageOfClearing,
  type RecordedHold,
  saidPartOf,
} from './recorded-messages.ts';
import { type ReplayedCard, ReplayedState } from './replayed-state.ts';

/** A decision as it was, or as it would have been. */
export interface ReplayedDecision extends Pick<ShownDecision, 'code' | 'facts'> {
  /** The reason that an advice broke, although it was applied. */
  readonly broken_reason: DeclineCode | null;
}

/** Whether the message would have been declined, or approved, or has another reason only. */
export const difference_kinds = ['declined', 'approved', 'reason'] as const;

export type DifferenceKind = (typeof difference_kinds)[number];

/** A message that would have been decided otherwise. */
export interface Difference {
  readonly card_id: number;
  readonly authorization_id: number;
  readonly kind: DifferenceKind;
  readonly decided_at_ms: number;
  readonly message_type: MessageType;
  /** The amount that limits compare, in minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
  readonly merchant_id: string | null;
  readonly mcc: string;
  readonly recorded: ReplayedDecision;
  /** Null: the message would have been refused without a decision. */
  readonly replayed: ReplayedDecision | null;
}

/** The instants whose decisions are compared: from `from_ms` up to but not including `to_ms`. */
export interface Span {
  readonly from_ms: number;
  readonly to_ms: number;
}

export interface ReplayPlan {
  readonly card: ReplayedCard;
  /** When the card was made. */
  readonly created_at_ms: number;
  readonly change: ControlsChange;
  readonly template: ChangedTemplate | null;
  readonly span: Span;
  /** The card in other versions of its controls, by their numbers. */
  readonly versions?: ReadonlyMap<number, ReplayedCard>;
}

export interface ReplayPorts {
  /** Receives each difference in the order of the messages. */
  readonly onDifference: (difference: Difference) => void;
  /** Called after each record. The replay goes on when the promise resolves. */
  readonly onReplayed: () => Promise<void> | undefined;
}

/**
 * Replays the history of a card from its beginning, in its recorded order and with the clock of each
 * record, through the fold that decides messages (`foldMessages`). The changed controls apply from
 * the start of the span. Each decision of the span is compared with the recorded one.
 *
 * What the records do not show stands as it was recorded: a wrong code or expiry, a canceled or
 * frozen card, a closed company. An earlier reason of the changed controls comes before it.
 */
export async function replayCard(
  plan: ReplayPlan,
  history: History,
  { onDifference, onReplayed }: ReplayPorts,
): Promise<void> {
  const replay = new Replay(plan, history.acts);
  for await (const happening of history.happenings()) {
    if (happening.at_ms >= plan.span.to_ms) break;
    const difference = replay.do(happening);
    if (difference !== null) onDifference(difference);
    const later = onReplayed();
    if (later !== undefined) await later;
  }
}

export class Replay {
  readonly #plan: ReplayPlan;
  readonly state: ReplayedState;
  /** What the first copies of the clearings said that came twice, by the id of the clearing. */
  readonly #first_copies: ReadonlyMap<number, CopyFields>;
  /** By the ids of the purchases whose first message was replayed. */
  readonly #recorded_holds = new Map<number, RecordedHold>();
  /** The days that the company kept holds, as the last hold showed them. */
  #hold_days: ReplayedCard['hold_days'];
  /** The card as it was for the last decision. */
  #card: ReplayedCard;

  constructor(plan: ReplayPlan, acts: readonly CardAct[]) {
    const { card, created_at_ms } = plan;
    this.#plan = plan;
    this.#first_copies = new Map(
      acts.flatMap(({ act }) => (act.kind === 'pair' ? [[act.clearing_id, act.first] as const] : [])),
    );
    this.#card = card;
    this.#hold_days = card.hold_days;
    this.state = new ReplayedState(windowAt(card.recurring, created_at_ms).start_ms);
  }

  /** Replays what happened. Returns how a decision of the span differs; null: it does not. */
  do(happening: Happening): Difference | null {
    if (happening.kind === 'authorization') return this.#decide(happening.row);
    const { at_ms, event_id } = happening;
    const id = happening.kind === 'clearing' ? happening.row.id : 0;
    const card = this.#changed(this.#card, at_ms);
    const message =
      happening.kind === 'clearing'
        ? messageOfClearing(happening.row, card, this.#first_copies.get(happening.row.id))
        : messageOfAct(happening.row.act, card, this.state);
    if (message !== null) this.#fold(card, message, { at_ms, event_id, id });
    return null;
  }

  #decide(row: Authorization): Difference | null {
    const { decided_at_ms: at_ms, event_id, id } = row;
    // The facts of a decision name the version that it met. One that is no longer known counts as the last.
    const version = row.facts?.[0];
    if (version === this.#plan.card.controls_version) this.#card = this.#plan.card;
    else if (version !== undefined) this.#card = this.#plan.versions?.get(version) ?? this.#card;
    this.#hold_days = this.#shownDays(row) ?? this.#hold_days;
    const card = this.#changed({ ...cardForMessage(row, this.#card), hold_days: this.#hold_days }, at_ms);
    // Its facts are in the currency that the limits had.
    const part =
      card.currency === this.#card.currency ? saidPartOf(row, card) : saidPartOf({ ...row, facts: null }, card);
    const message = messageOfAuthorization(row, card, part);
    this.#fold(card, message, { at_ms, event_id, id, draw: drawOf(row) });
    const { from_ms } = this.#plan.span;
    return at_ms < from_ms ? null : differenceOf(row, this.state.authorization(id), { before: this.#card, card });
  }

  /** The days for which its company kept holds, as the hold shows them that this message began. */
  #shownDays(row: Authorization): number | 'never' | undefined {
    const { root_id, status, authorized, held, hold_end_ms, decided_at_ms } = row;
    if (root_id === null) return undefined;
    const is_root = row.id === root_id;
    if (is_root) this.#recorded_holds.set(root_id, { id: root_id, root_id, status, authorized, held, hold_end_ms });
    const recorded = this.#recorded_holds.get(root_id);
    if (recorded === undefined || approvedAmount(this.#card, row) === 0) return undefined;
    // A verification, and a purchase that an advice lowered to 0, have no hold until a later message.
    const before = this.state.authorization(root_id);
    const begins = is_root || (before?.held === 0 && before.hold_end_ms === null);
    return begins ? holdDaysOf(recorded, decided_at_ms) : undefined;
  }

  /** The card with the changed controls, within the span. */
  #changed(card: ReplayedCard, at_ms: number): ReplayedCard {
    const { change, template, span } = this.#plan;
    return at_ms < span.from_ms ? card : changedCard(card, change, template);
  }

  #fold(card: ReplayedCard, message: NetworkMessage, of: Recorded): void {
    const { at_ms, event_id, id, draw = 0 } = of;
    const event_ids = message.kind === 'rematch' ? message.matches.map(() => event_id) : [event_id, event_id];
    const ids = { authorization_ids: [id], clearing_ids: [id], event_ids };
    const { changes } = foldMessages(this.state.load(card, message, at_ms, ids), [message], portsOf(draw));
    this.state.apply(changes);
  }
}

interface Recorded {
  readonly at_ms: number;
  readonly event_id: number;
  readonly id: number;
  readonly draw?: number;
}

/** No code is right, the draw is that of the record, and what is refused is not kept. */
function portsOf(draw: number): PassPorts {
  return { ...no_ports, random: { below: () => draw, bytes: () => nothing } };
}

const nothing = new Uint8Array(0);

const no_ports: Omit<PassPorts, 'random'> = {
  vault: { cvcMatches: () => false },
  sealer: { seal: () => nothing, open: () => nothing, isCurrent: () => true },
  sha256: () => nothing,
};

function differenceOf(
  was: Authorization,
  would_be: Authorization | undefined,
  { before, card }: { readonly before: ReplayedCard; readonly card: ReplayedCard },
): Difference | null {
  const kind = kindOf(was, would_be);
  if (kind === null) return null;
  const { id, card_id, decided_at_ms, message_type, merchant_id, mcc } = was;
  return {
    card_id,
    authorization_id: id,
    kind,
    decided_at_ms,
    message_type,
    amount: limitAmount(card, was),
    currency: limitCurrency(card),
    merchant_id,
    mcc,
    recorded: shown(was, before),
    replayed: would_be === undefined ? null : shown(would_be, card),
  };
}

function kindOf(recorded: Authorization, replayed: Authorization | undefined): DifferenceKind | null {
  const was_declined = recorded.status === 'declined';
  const is_declined = replayed === undefined || replayed.status === 'declined';
  if (was_declined !== is_declined) return is_declined ? 'declined' : 'approved';
  if (replayed === undefined) return null;
  return outcomeOf(recorded) === outcomeOf(replayed) ? null : 'reason';
}

function shown(row: Authorization, { recurring }: ReplayedCard): ReplayedDecision {
  const { code, facts } = decisionOf(row, recurring);
  return { code, broken_reason: brokenReasonOf(row), facts };
}
