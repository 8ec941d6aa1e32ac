import {
  type Answer,
  type CapabilityName,
  type ReferenceCard,
  ReferenceModel,
  type SystemWith,
  type World,
} from '../src/index.ts';

let companies = 0;

const merchant_controls = {
  merchant_ids: null,
  merchant_names: { allow: null, deny: ['ACME*'] },
  countries: null,
  card_present: null,
};

/** A world as a host would set it up: both shared defaults, and lists of either rule. */
export function world(now_ms: number): World {
  companies += 1;
  return {
    tag: `w${companies}`,
    now_ms,
    billing_currency: 'USD',
    files_without_ids: true,
    merchant_controls: true,
    templates: [
      { id: 1, mcc_rule: 'DENY', mcc_list: [], required_control: 'VELOCITY', is_default: true },
      { id: 2, mcc_rule: 'DENY', mcc_list: [], required_control: 'AGING_VELOCITY', is_default: true },
      {
        id: 3,
        mcc_rule: 'ALLOW',
        mcc_list: ['5812', '7011'],
        merchant_controls,
        required_control: 'VELOCITY',
        is_default: false,
      },
      { id: 4, mcc_rule: 'DENY', mcc_list: ['5999'], required_control: 'AGING_VELOCITY', is_default: false },
    ],
  };
}

export type ModelSystem = SystemWith<Exclude<CapabilityName, 'crash'>> & { readonly model: ReferenceModel };

/**
 * A second reference model behind the interface of a system. It cannot prove the model wrong. It
 * shows that the commands do what they describe, that two runs of one seed are the same, and how a
 * planted fault is reported.
 */
export function modelAsSystem(now_ms: number): ModelSystem {
  const model = new ReferenceModel(world(now_ms));
  let ids = 0;
  let cards = 0;
  const nextId = () => {
    ids += 1;
    return ids;
  };
  const card = (id: number): ReferenceCard => model.cards.find((known) => known.id === id)!;
  return {
    model,
    world: model.world,
    createCard: async (request) => {
      const answer = model.wouldCreate(request);
      if (answer.kind === 'refused') return answer;
      cards += 1;
      const id = cards;
      const card_number = `4${String(id).padStart(14, '0')}0`;
      return done({ card: model.createCard(request, { id, card_number, cvc: '123' }), card_number, cvc: '123' });
    },
    updateCard: async (id, request) => model.updateCard(card(id), request),
    cancelCard: async (id) => model.cancelCard(card(id)),
    readCard: async (id) => done(model.view(card(id))),
    authorize: async (message) => {
      const { answer, answered } = model.authorize(message);
      if (answer.kind === 'refused' || answered === null || answered.answer.id !== null) return answer;
      const id = nextId();
      const approval_code = answer.value.issuer_response === 'Approved' ? String(id).padStart(6, '0') : null;
      model.learnAuthorization(answered, { ...answer.value, id, approval_code });
      return done({ ...answer.value, id, approval_code });
    },
    clear: async (message) => {
      const { answer, answered } = model.clear(message);
      if (answer.kind === 'refused' || answered === null) return answer;
      if (answered.answer.id === 0) model.learnClearing(answered, { ...answer.value, id: nextId() });
      // A copy: messages that race with this one may match the clearing again before it is read.
      return done({ ...answered.answer });
    },
    releaseHold: async (card_id, authorization_id) => model.releaseHold(card(card_id), authorization_id),
    setFrozen: async (card_id, frozen) => model.setFrozen(card(card_id), frozen),
    rematch: async (request) => model.rematch(card(request.vcn_id), request),
    resetCodeFailures: async (card_id) => model.resetCodeFailures(card(card_id)),
    askCompany: async (stand_in) => {
      model.stand_in = stand_in;
      return done(null);
    },
    setHoldDays: async (hold_days) => model.setHoldDays(hold_days),
    quarantine: async () =>
      model.quarantine.map(({ message, ...kept }, at) => {
        const { network_financial_transaction_id } = message;
        return { ...kept, id: at + 1, network_financial_transaction_id };
      }),
    replay: async (quarantine_id) => {
      const kept = model.quarantine[quarantine_id - 1]!;
      const { answer, answered } = model.replay(kept);
      if (answer.kind === 'refused' || answered === null) return conflict();
      if (answered.answer.id === 0) model.learnClearing(answered, { ...answered.answer, id: nextId() });
      kept.clearing_id = answered.answer.id;
      return done({ clearing_id: answered.answer.id });
    },
    advanceClock: async (to_ms) => model.advanceClock(to_ms),
    events: async () => model.events,
    close: async () => {},
  };
}

function conflict(): Answer<never> {
  return { kind: 'refused', code: 'conflict', fields: [] };
}

function done<Value>(value: Value): Answer<Value> {
  return { kind: 'done', value };
}
