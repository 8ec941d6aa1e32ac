import { deepEqual, equal } from 'node:assert/strict';
import {
  type AuthorizationAnswer,
  type AuthorizationInput,
  type CardsTx,
  type CompanyTerms,
  type ConsultationsTx,
  explainAuthorization,
  tryDecision,
} from '@tallystick/cards';
import { amount_max, type Call, toInstantText, type UnitOfWork } from '@tallystick/kernel';

type Tx = CardsTx & Pick<ConsultationsTx, 'consultations'> & { readonly companies: CompanyTerms };

/** Every recorded decision of the company has a table whose first failed reason is its answer. */
export async function assertExplained(unitOfWork: UnitOfWork<Tx>, call: Call): Promise<void> {
  await unitOfWork.read(async (tx) => {
    const { items: cards } = await tx.cards.list(call.company_id, {}, { limit: 100 });
    for (const { id } of cards) {
      const { items } = await tx.cards.authorizations(call.company_id, id, { limit: 100 });
      for (const authorization of items) {
        const { is_reproduced, table, decision, after } = await explainAuthorization(tx, call, id, authorization.id);
        const shown = JSON.stringify({ decision, table });
        equal(is_reproduced, authorization.facts === null ? null : true, shown);
        const left = decision.facts.find(({ name }) => name === 'available_after');
        if (left !== undefined) equal(after?.available, left.value, shown);
      }
    }
  });
}

interface Network {
  readonly unitOfWork: UnitOfWork<Tx>;
  readonly send: (message: AuthorizationInput) => Promise<AuthorizationAnswer>;
}

/** A decision that is tried on each card, in the state in which a sequence left it, is the one that follows. */
export async function assertTried(
  { unitOfWork, send }: Network,
  call: Call,
  card_numbers: ReadonlyMap<number, string>,
): Promise<void> {
  for (const [id, card_number] of card_numbers) {
    for (const [at, amount] of [0, 137, 1_211].entries()) {
      const purchase = {
        merchant_currency: at === 1 ? 'EUR' : 'USD',
        mcc: '5812',
        merchant_id: `tried-${id}`,
        merchant_country: 'DEU',
        card_present: true,
      };
      const tried = await unitOfWork.read((tx) => tryDecision(tx, call, id, { amount, ...purchase }));
      const largest = tried.would_pass_up_to;
      if (largest !== null && largest < amount_max) {
        const codeOf = async (amount: number) =>
          (await unitOfWork.read((tx) => tryDecision(tx, call, id, { ...purchase, amount }))).decision.code;
        deepEqual([await codeOf(largest), (await codeOf(largest + 1)) === 'V'], ['V', false], 'the largest amount');
      }
      const answer = await send({
        card_number,
        message_type_indicator: '0100',
        trace_id: `tried-${call.company_id}-${id}-${at}`,
        system_trace_audit_number: String(at),
        transaction_date_time: toInstantText(call.now_ms),
        billing_amount: amount,
        billing_currency: 'USD',
        merchant_amount: amount,
        ...purchase,
      });
      equal(answer.kind, 'answered');
      if (answer.kind === 'answered') deepEqual(tried.decision, answer.item.decision);
    }
  }
}
