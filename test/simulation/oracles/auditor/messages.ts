import type { Authorization } from '@tallystick/cards';
import type { AuthorizationWire, ClearingWire } from '@tallystick/harness';
import type { AuthorizationAnswer, Call, History } from '../../history.ts';
import type { Invariant, Step } from './invariant.ts';

const type_codes: Readonly<Record<string, string>> = {
  'Authorization Request': '0100',
  'Authorization Advice': '0120',
  'Reversal Request': '0400',
  'Reversal Advice': '0420',
};

/** What makes two messages about one card the same. */
function identityOf(message: AuthorizationWire): string {
  const { message_type_indicator: type, trace_id, system_trace_audit_number, transaction_date_time } = message;
  const at_ms = Date.parse(transaction_date_time);
  return [type_codes[type] ?? type, trace_id, system_trace_audit_number, at_ms].join(' ');
}

function storedIdentityOf(row: Authorization): string {
  const { message_type, trace_id, system_trace_audit_number, transaction_date_time_ms } = row;
  return [message_type, trace_id, system_trace_audit_number, transaction_date_time_ms].join(' ');
}

/** Reads the calls of a history once each: first when they were sent, then when they were answered. */
export class CallReader {
  #sent = 0;
  #unanswered: Call[] = [];

  /** The calls that are new since the last time. */
  sent({ calls }: History): readonly Call[] {
    const fresh = calls.slice(this.#sent);
    this.#sent = calls.length;
    this.#unanswered.push(...fresh);
    return fresh;
  }

  /** The calls that were answered since the last time. */
  answered(): readonly Call[] {
    const answered = this.#unanswered.filter(({ outcome }) => outcome !== null);
    if (answered.length > 0) this.#unanswered = this.#unanswered.filter(({ outcome }) => outcome === null);
    return answered;
  }
}

export const one_effect_per_message: Invariant = {
  name: 'one effect per message',
  says: 'a message is recorded once, and what is recorded was sent',
  begin() {
    const reader = new CallReader();
    const asked = new Set<string>();
    const recorded = new Map<string, number>();
    const transactions = new Map<string, number>();
    return {
      *step(step) {
        for (const call of reader.sent(step.history)) {
          if (call.operation === 'authorize') asked.add(identityOf(call.input));
        }
        reader.answered();
        for (const { key, before, after } of step.changes('authorizations')) {
          if (after === undefined) {
            yield `authorization ${key} is gone`;
            continue;
          }
          if (before !== undefined) continue;
          const message = storedIdentityOf(after);
          const name = `${after.card_id} ${message}`;
          const other = recorded.get(name);
          if (other !== undefined) yield `authorizations ${other} and ${key} are of one message: ${message}`;
          if (!asked.has(message)) yield `authorization ${key} is of a message that was not sent: ${message}`;
          recorded.set(name, key);
        }
        for (const { key, before, after } of step.changes('clearings')) {
          if (after === undefined) yield `clearing ${key} is gone`;
          if (before !== undefined || after === undefined) continue;
          const id = after.network_financial_transaction_id;
          const other = transactions.get(id);
          if (other !== undefined) yield `clearings ${other} and ${key} have one transaction id: ${id}`;
          transactions.set(id, key);
        }
      },
    };
  },
};

export const answers_are_stored: Invariant = {
  name: 'answers are stored',
  says: 'what was answered is committed, and a repeated message has its first answer',
  begin() {
    const reader = new CallReader();
    const first = new Map<string, AuthorizationAnswer>();

    function* checkAuthorization(step: Step, input: AuthorizationWire, value: AuthorizationAnswer): Iterable<string> {
      if (value.fault || value.id === null) return;
      const what = `the answer to ${identityOf(input)}`;
      const row = step.state.authorizations.get(value.id);
      if (row === undefined) {
        yield `${what} names authorization ${value.id}, which is not stored`;
        return;
      }
      if (storedIdentityOf(row) !== identityOf(input)) yield `${what} names ${storedIdentityOf(row)}`;
      const is_approved = value.issuer_response === 'Approved';
      if (is_approved !== (row.decline_code === null)) {
        yield `${what} is ${value.issuer_response}, and ${row.decline_code ?? 'V'} is stored`;
      }
      if (value.approval_code !== row.approval_code) {
        yield `${what} has approval code ${value.approval_code}, and ${row.approval_code} is stored`;
      }
      const name = `${row.card_id} ${identityOf(input)}`;
      const before = first.get(name);
      first.set(name, before ?? value);
      if (before === undefined) return;
      for (const field of ['id', 'response_code', 'vcn_response', 'approval_code'] as const) {
        if (before[field] !== value[field]) yield `${what}: ${field} was ${before[field]} and is ${value[field]} now`;
      }
    }

    function* checkClearing(step: Step, input: ClearingWire, id: number): Iterable<string> {
      const row = step.state.clearings.get(id);
      const transaction = input.network_financial_transaction_id;
      const what = `the answer to clearing ${transaction}`;
      if (row === undefined) yield `${what} names clearing ${id}, which is not stored`;
      else if (![row.network_financial_transaction_id, row.paired_transaction_id].includes(transaction)) {
        yield `${what} names clearing ${id} of ${row.network_financial_transaction_id}`;
      }
    }

    return {
      *step(step) {
        reader.sent(step.history);
        for (const call of reader.answered()) {
          if (call.outcome?.kind !== 'done') continue;
          if (call.operation === 'authorize') yield* checkAuthorization(step, call.input, call.outcome.value);
          if (call.operation === 'clear') yield* checkClearing(step, call.input, call.outcome.value.id);
          if (call.operation === 'createCard' && !step.state.cards.has(call.outcome.value.id)) {
            yield `card ${call.outcome.value.id} was answered, and is not stored`;
          }
        }
      },
    };
  },
};
