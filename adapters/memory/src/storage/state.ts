import type { Company } from '@tallystick/access';
import type {
  Authorization,
  Clearing,
  Mail,
  RealCard,
  SealedNumber,
  UnknownNumberMessage,
  VirtualCard,
} from '@tallystick/cards';
import type { Event } from '@tallystick/events';
import type { AuditEntry, SandboxClockState } from '@tallystick/kernel';
import { default_template_ids, type PurchaseTemplate, type RequiredControl } from '@tallystick/templates';
import { type Access, Table } from './table.ts';

/** Every table of the storage. A transaction works on a draft of it. */
export interface State {
  readonly companies: Table<Company>;
  readonly real_cards: Table<RealCard>;
  readonly templates: Table<PurchaseTemplate>;
  readonly cards: Table<VirtualCard>;
  /** By card id. */
  readonly numbers: Table<SealedNumber>;
  /** The id of the card of each number, by the hexadecimal form of `number_index`. */
  readonly card_ids: Table<number, string>;
  readonly authorizations: Table<Authorization>;
  readonly clearings: Table<Clearing>;
  /** The id of the clearing of each `network_financial_transaction_id`. */
  readonly clearing_ids: Table<number, string>;
  readonly unknown_numbers: Table<UnknownNumberMessage>;
  readonly events: Table<Event>;
  readonly mails: Table<Mail>;
  readonly audit: Table<AuditEntry & { readonly at_ms: number }>;
  /** One row, with the key 1, once the clock was moved. */
  readonly sandbox_clock: Table<SandboxClockState>;
}

/** The state of a new installation: it has the shared default templates and nothing else. */
export function newState(): State {
  const state: State = {
    companies: new Table(),
    real_cards: new Table(),
    templates: new Table(),
    cards: new Table(),
    numbers: new Table(),
    card_ids: new Table(),
    authorizations: new Table(),
    clearings: new Table(),
    clearing_ids: new Table(),
    unknown_numbers: new Table(),
    events: new Table(),
    mails: new Table(),
    audit: new Table(),
    sandbox_clock: new Table(),
  };
  for (const [control, id] of Object.entries(default_template_ids)) {
    state.templates.set(id, sharedTemplate(id, control as RequiredControl));
  }
  return state;
}

/** A copy of the state for a transaction with this access. */
export function draftOf(state: State, access: Access): State {
  const drafts = Object.entries(state).map(([name, table]: [string, Table<unknown, never>]) => [
    name,
    table.draft(access),
  ]);
  return Object.fromEntries(drafts) as State;
}

/** A shared default, which allows every MCC: a DENY rule with an empty list. */
function sharedTemplate(id: number, required_control: RequiredControl): PurchaseTemplate {
  return {
    id,
    company_id: null,
    name: `Default ${required_control}`,
    description: 'Allows all MCCs',
    mcc_list: [],
    mcc_rule: 'DENY',
    required_control,
    status: 'ACTIVE',
    transaction_key: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    copy_from_template: '',
    customer_number: '',
    environment: 'live',
    created_at_ms: 0,
    updated_at_ms: 0,
    deleted_at_ms: null,
    completes_at_ms: null,
  };
}
