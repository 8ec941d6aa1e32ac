import { text } from './agreement.ts';
import { agreeAnswers, agreeOnCard, explainAuthorization, explainClearing, masked } from './comparison.ts';
import type { OperationKind } from './faults.ts';
import type { ReferenceModel } from './reference/model.ts';
import type { Answer, AuthorizationWire, CardRequest, ClearingWire, System, SystemWith } from './system.ts';

/** One call about one card, which may be submitted beside others and sent again. */
export interface Operation {
  readonly kind: OperationKind;
  /** The text in a report. */
  readonly text: string;
  submit(): Promise<Outcome>;
}

/** What the system answered to an operation. */
export interface Outcome {
  readonly answer: Answer<unknown>;
  /** Does the operation on the model. Throws a `Disagreement` unless the model answers the same. */
  explain(model: ReferenceModel): void;
  /** Does on the model an earlier sending of the operation, whose answer was lost. */
  repeatUnheard(model: ReferenceModel): void;
}

export function authorization(message: AuthorizationWire, system: System): Operation {
  return {
    kind: 'authorize',
    text: `authorize ${masked(message)}`,
    async submit() {
      const answer = await system.authorize(message);
      // A repeated message gets the first answer.
      const explain = (model: ReferenceModel) => explainAuthorization(model, message, answer);
      return { answer, explain, repeatUnheard: explain };
    },
  };
}

export function clearing(message: ClearingWire, system: SystemWith<'clear'>): Operation {
  return {
    kind: 'clear',
    text: `clear ${masked(message)}`,
    async submit() {
      const answer = await system.clear(message);
      return {
        answer,
        explain: (model) => explainClearing(model, message, answer),
        repeatUnheard(model) {
          const { answered } = model.clear(message);
          if (answered?.answer.id === 0 && answer.kind === 'done') model.learnClearing(answered, answer.value);
        },
      };
    },
  };
}

export function update(card_id: number, request: CardRequest, system: SystemWith<'updateCard'>): Operation {
  const what = `update of card ${card_id} with ${text(request)}`;
  const apply = (model: ReferenceModel) => model.updateCard(cardOf(model, card_id), request);
  return operation('update card', what, apply, () => system.updateCard(card_id, request), agreeOnCard);
}

export function cancellation(card_id: number, system: SystemWith<'cancelCard'>): Operation {
  const what = `cancellation of card ${card_id}`;
  const apply = (model: ReferenceModel) => model.cancelCard(cardOf(model, card_id));
  return operation('cancel card', what, apply, () => system.cancelCard(card_id));
}

export function release(card_id: number, authorization_id: number, system: SystemWith<'releaseHold'>): Operation {
  const what = `release of authorization ${authorization_id}`;
  const apply = (model: ReferenceModel) => model.releaseHold(cardOf(model, card_id), authorization_id);
  const submit = () => system.releaseHold(card_id, authorization_id, 'The merchant closed.');
  return operation('release', what, apply, submit);
}

export function freezing(card_id: number, frozen: boolean, system: SystemWith<'setFrozen'>): Operation {
  const what = `${frozen ? 'freeze' : 'end of the freeze'} of card ${card_id}`;
  const apply = (model: ReferenceModel) => model.setFrozen(cardOf(model, card_id), frozen);
  return operation('freeze', what, apply, () => system.setFrozen(card_id, frozen));
}

function operation<Value>(
  kind: OperationKind,
  what: string,
  apply: (model: ReferenceModel) => Answer<Value>,
  submit: () => Promise<Answer<Value>>,
  compare: (what: string, expected: Answer<Value>, actual: Answer<Value>) => void = agreeAnswers,
): Operation {
  return {
    kind,
    text: what,
    async submit() {
      const answer = await submit();
      return {
        answer,
        explain: (model) => compare(what, apply(model), answer),
        repeatUnheard: apply,
      };
    },
  };
}

function cardOf({ cards }: ReferenceModel, card_id: number) {
  return cards.find(({ id }) => id === card_id)!;
}
