import type { Event } from '@tallystick/events';
import { type ReferenceCard, ReferenceModel, type World } from '@tallystick/harness';
import type { State } from '@tallystick/memory';
import type { Call, History } from '../history.ts';

/** The templates that every company has. */
const templates: World['templates'] = [
  { id: 1, mcc_rule: 'DENY', mcc_list: [], required_control: 'VELOCITY', is_default: true },
  { id: 2, mcc_rule: 'DENY', mcc_list: [], required_control: 'AGING_VELOCITY', is_default: true },
];

/**
 * Replays a run on the reference model of the harness, in the order of the commits, each message at
 * the instant at which it was recorded, and compares the answers. Returns what differs. Cards whose
 * number no caller has learnt are left out, and a card that a file or a person has changed, from
 * then on.
 */
export function compareWithReference(history: History, state: State): readonly string[] {
  const calls = new Map(history.calls.map((call) => [call.request_id, call]));
  const problems: string[] = [];
  const replays = new Map<number, Replay>();
  for (const event of state.events.values().toSorted((a, b) => a.id - b.id)) {
    const { company_id, created_at_ms, request_id } = event;
    const call = calls.get(request_id ?? '');
    let replay = replays.get(company_id);
    if (replay === undefined) {
      const real_card = state.real_cards.values().find((one) => one.company_id === company_id);
      const billing_currency = real_card?.billing_currency ?? '';
      replay = new Replay({ tag: '', now_ms: created_at_ms, billing_currency, templates }, problems);
      replays.set(company_id, replay);
    }
    replay.apply(event, call);
  }
  return problems;
}

/** The model of one company. */
class Replay {
  readonly #model: ReferenceModel;
  readonly #cards = new Map<number, ReferenceCard>();
  readonly #problems: string[];

  constructor(world: World, problems: string[]) {
    this.#model = new ReferenceModel(world);
    this.#problems = problems;
  }

  apply({ event_type, payload, created_at_ms }: Event, call: Call | undefined): void {
    this.#model.now_ms = created_at_ms;
    const card_id = Number(payload.vcn_id ?? payload.id);
    const is_by_another =
      (event_type.startsWith('virtualcard.clearing') && call?.operation !== 'clear') ||
      (event_type === 'virtualcard.updated' && call?.operation !== 'updateCard');
    if (is_by_another) this.#cards.delete(card_id);
    const card = this.#cards.get(card_id);
    if (call === undefined) return;
    if (event_type === 'virtualcard.created' && call.operation === 'createCard') {
      if (call.outcome?.kind !== 'done') return;
      const { id, card_number, cvc } = call.outcome.value;
      this.#model.createCard(call.input, { id, card_number, cvc });
      this.#cards.set(id, this.#model.cards.at(-1)!);
    } else if (card === undefined) {
      return;
    } else if (event_type === 'virtualcard.deleted') {
      this.#model.cancelCard(card);
    } else if (event_type === 'virtualcard.updated' && call.operation === 'updateCard') {
      const { kind } = this.#model.updateCard(card, call.input.changes);
      if (kind === 'refused') this.#problems.push(`the model refuses ${call.request_id}, an update of card ${card.id}`);
    } else if (event_type === 'virtualcard.realtime.auths' && call.operation === 'authorize') {
      const { answer, answered } = this.#model.authorize(call.input);
      const seen = payload as unknown as Parameters<ReferenceModel['learnAuthorization']>[1];
      const what = `authorization ${seen.id} (${call.request_id})`;
      this.#compare(what, answer, seen, ['vcn_response', 'response_code', 'issuer_response', 'status']);
      if (answered !== null) this.#model.learnAuthorization(answered, seen);
    } else if (event_type === 'virtualcard.clearings' && call.operation === 'clear') {
      const { answer, answered } = this.#model.clear(call.input);
      const seen = payload as unknown as Parameters<ReferenceModel['learnClearing']>[1];
      const what = `clearing ${seen.id} (${call.request_id})`;
      this.#compare(what, answer, seen, ['class', 'match_rule', 'authorization_id', 'clearing_id', 'review']);
      if (answered !== null) this.#model.learnClearing(answered, seen);
    }
  }

  #compare(
    what: string,
    answer: ReturnType<ReferenceModel['authorize' | 'clear']>['answer'],
    seen: object,
    names: readonly string[],
  ): void {
    if (answer.kind === 'refused') {
      this.#problems.push(`${what}: the model refuses it`);
      return;
    }
    const right = answer.value as unknown as Readonly<Record<string, unknown>>;
    for (const name of names) {
      const actual = (seen as Readonly<Record<string, unknown>>)[name];
      if (actual !== right[name])
        this.#problems.push(`${what}: ${name} is ${actual}, and the model has ${right[name]}`);
    }
  }
}
