import { companyOf } from '@tallystick/access';
import {
  type CardFilter,
  type CardReading,
  type CardVault,
  cancelCard,
  card_statuses,
  code_failures_max,
  emailCard,
  issueCard,
  listCards,
  type Network,
  note_length_max,
  readCard,
  readFreezeNote,
  readReleaseNote,
  refuseNumbersOfCards,
  resetCodeFailures,
  revealNumbers,
  updateCard,
} from '@tallystick/cards';
import {
  type FieldError,
  invalidQuery,
  isBlank,
  isStorable,
  maskCardNumbers,
  type Random,
  type UnitOfWork,
} from '@tallystick/kernel';
import * as z from 'zod';
import type { Query } from '../call/query.ts';
import { data_of_domain, last4 } from '../fields.ts';
import { authorization_item } from '../network/shapes.ts';
import {
  callFor,
  companyCall,
  type Operation,
  type OperationCall,
  type OperationTx,
  operation,
  operatorCall,
  present,
  shares_pass,
} from '../operation.ts';
import { presentCodeFailures, presentVirtualCard } from './presenter.ts';
import { cardRecordOperations, its_company } from './records.ts';
import {
  card_body,
  card_status,
  code_failures,
  create_card,
  email_card,
  freeze_card,
  release_hold,
  update_card,
  virtual_card,
} from './shapes.ts';

export const metadata_filter = /^metadata\.(.{1,255})$/s;

const whole_number = {
  read: (text: string) => (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null),
  expected: 'an integer',
};

/**
 * The filters apart from those on metadata. Each reads a value in the store's form, or null for a
 * value that no card can have.
 */
const filters = {
  status: {
    read: (text: string) => card_statuses.find((status) => status === text) ?? null,
    expected: `${card_statuses.join(' or ')} (case-sensitive)`,
  },
  frozen: {
    read: (text: string) => (text === 'true' ? true : text === 'false' ? false : null),
    expected: 'true or false',
  },
  rcn_id: whole_number,
  template_id: whole_number,
  supplier_id: whole_number,
  last4: { read: (text: string) => (/^\d{4}$/.test(text) ? text : null), expected: 'the last four digits of a number' },
  // Metadata is stored without card numbers.
  metadata_value: {
    read: (text: string) => (text === '' ? null : maskCardNumbers(text)),
    expected: 'text of 1 character or more',
  },
};

const any_id = z.int().min(0);

export const metadata_of_filter = {
  patternProperties: {
    '^metadata\\.[\\s\\S]{1,255}$': {
      description: 'Only cards whose metadata has this value under the name after the point, compared as text',
      anyOf: [{ type: 'string' }, { type: 'integer' }],
    },
  },
};

/** The filters of the list, for the document. */
const card_filter = z
  .object({
    status: card_status,
    frozen: z.boolean().describe('Only cards that are frozen, or only those that are not'),
    rcn_id: any_id.describe('Only cards that are tied to this real card'),
    template_id: any_id.describe('Only cards with this purchase template'),
    supplier_id: any_id.describe('Only cards with this number of the supplier'),
    last4,
    metadata_value: z
      .string()
      .min(1)
      .describe('Only cards whose metadata has this value under any top-level name, compared as text'),
  } satisfies Record<keyof typeof filters, z.ZodType>)
  .partial()
  .meta(metadata_of_filter)
  .describe('Several filters are ANDed. `metadata.<name>` compares a top-level name of the metadata as text.');

interface VirtualCardPorts {
  readonly vault: CardVault;
  readonly random: Random;
  readonly network: Pick<Network, 'release' | 'freeze'>;
  readonly unitOfWork: Pick<UnitOfWork<OperationTx>, 'read'>;
}

/** The virtual cards of a company (service specification 4.1, and what the decisions add). */
export function virtualCardOperations(ports: VirtualCardPorts): readonly Operation[] {
  /** The card as it is shown: with number and code if the call asks for them. */
  const show = async (tx: OperationTx, call: OperationCall, reading: CardReading, in_clear: boolean) => {
    if (!in_clear) return presentVirtualCard(reading, undefined);
    const revealed = await revealNumbers(tx, ports, companyCall(call), [reading.card], readReason(call.query));
    return presentVirtualCard(reading, revealed.get(reading.card.id));
  };

  const freezing = (
    frozen: boolean,
    described: Pick<Operation, 'id' | 'method' | 'summary' | 'description'>,
  ): Operation =>
    operation('card_freeze', {
      ...described,
      parameters: ['id'],
      body: data_of_domain,
      documented_body: freeze_card,
      data_is_optional: true,
      refusals: ['conflict'],
      answer: virtual_card,
      runs_alone: shares_pass,
      async perform(call) {
        const { caller, actor, id, body, request_id, source_address } = call;
        const answer = await ports.network.freeze({
          kind: 'freeze',
          number_index: null,
          vcn_id: id,
          frozen,
          company_id: caller.role === 'operator' ? null : companyOf(caller),
          note: readFreezeNote(body.data),
          actor,
          request_id,
          source_address,
        });
        if (answer.kind === 'refused') throw answer.refusal;
        const reading = await ports.unitOfWork.read((tx) => readCard(tx, callFor(call, answer.company_id), id));
        return presentVirtualCard(reading, undefined);
      },
    });

  return [
    operation('card_issuing', {
      id: 'virtualCards.create',
      method: 'company.cards.issue',
      summary: 'Create a virtual card',
      description: 'Refused (`account_range_used_up`) when its real card has no free number.',
      body: card_body,
      documented_body: create_card,
      takes_back: virtual_card,
      answer: virtual_card,
      refusals: ['conflict'],
      showsNumber: ({ body }) => body.show_card_number === true,
      async write(tx, call) {
        const { data, show_card_number } = call.body;
        const reading = await issueCard(tx, ports, companyCall(call), data);
        await refuseNumbersOfCards(tx, ports, namesIn(data));
        return await show(tx, call, reading, show_card_number === true);
      },
    }),
    operation('virtualcards', {
      id: 'virtualCards.list',
      method: 'company.cards.list',
      summary: 'List virtual cards, newest first',
      description: 'With `show_realtime_auths`, the cards contain their authorizations and clearings.',
      query: {
        paged: true,
        filter: card_filter,
        other_filters: metadata_filter,
        flags: { show_realtime_auths: 'True: each card has its newest authorizations and clearings' },
      },
      answer: z.array(virtual_card),
      async read(tx, call) {
        const { query } = call;
        const with_activity = query.flag('show_realtime_auths');
        const page = await listCards(tx, companyCall(call), readCardFilter(query), query.page, { with_activity });
        return present(page, (reading) => presentVirtualCard(reading, undefined));
      },
    }),
    operation('virtualcards', {
      id: 'virtualCards.read',
      method: 'company.cards.read',
      summary: 'Read a virtual card with its newest authorizations and clearings',
      parameters: ['id'],
      query: {
        flags: { show_card_number: 'True: the result shows the number and the code, and the audit log records it' },
        texts: z.object({
          reason: z
            .string()
            .min(1)
            .max(note_length_max)
            .optional()
            .describe('Why the number is shown, for the audit log. Card numbers in it are masked')
            .meta({ examples: ['The cardholder lost the mail'] }),
        }),
      },
      answer: virtual_card,
      showsNumber: ({ query }) => query.flag('show_card_number'),
      async read(tx, call) {
        const reading = await readCard(tx, companyCall(call), call.id);
        return await show(tx, call, reading, call.query.flag('show_card_number'));
      },
    }),
    operation('virtualcards', {
      id: 'virtualCards.update',
      method: 'company.cards.update',
      summary: 'Change a virtual card',
      description:
        'What is absent stays. A whole card may be sent back: what a card only shows is ignored, and a `per_transaction_max` that followed `total_card_amount` still follows it. Sent without such members, it is that number from then on. A change of a Canceled card is refused (`validation_failed`).',
      parameters: ['id'],
      body: card_body,
      documented_body: update_card,
      takes_back: virtual_card,
      answer: virtual_card,
      showsNumber: ({ body }) => body.show_card_number === true,
      async write(tx, call) {
        const { data, show_card_number, is_sent_back } = call.body;
        const reading = await updateCard(tx, companyCall(call), call.id, data, { is_sent_back });
        await refuseNumbersOfCards(tx, ports, namesIn(data));
        return await show(tx, call, reading, show_card_number === true);
      },
    }),
    operation('card_issuing', {
      id: 'virtualCards.cancel',
      method: 'company.cards.cancel',
      summary: 'Cancel a virtual card. It can still be read',
      description: 'Further purchases are declined.',
      parameters: ['id'],
      answer: null,
      async write(tx, call) {
        await cancelCard(tx, companyCall(call), call.id);
      },
    }),
    freezing(true, {
      id: 'virtualCards.freeze',
      method: 'company.cards.freeze',
      summary: 'Freeze a virtual card',
      description:
        'It declines requests (K) until it is unfrozen. Its holds run on, and it takes advices, reversals, refunds and clearings. A repeat changes nothing. Refused (`conflict`) for a Canceled card.',
    }),
    freezing(false, {
      id: 'virtualCards.unfreeze',
      method: 'company.cards.unfreeze',
      summary: 'End the freeze of a virtual card',
      description: 'A repeat changes nothing. Refused (`conflict`) for a Canceled card.',
    }),
    operation('card_issuing', {
      id: 'virtualCards.email',
      method: 'company.cards.email',
      summary: 'Mail the details of a card to an address',
      description: 'A link in the mail shows them once.',
      parameters: ['id'],
      body: data_of_domain,
      documented_body: email_card,
      answer: virtual_card,
      async write(tx, call) {
        const { email } = call.body.data;
        const reading = await emailCard(tx, companyCall(call), call.id, email);
        await refuseNumbersOfCards(tx, ports, { email });
        return presentVirtualCard(reading, undefined);
      },
    }),
    ...cardRecordOperations(its_company),
    operation('hold_release', {
      id: 'virtualCards.authorizations.release',
      method: 'company.cards.releaseHold',
      summary: 'End the hold of an authorization by hand',
      description:
        'For a clearing that will not come. The use stays, and a clearing that comes anyway is applied as `late`. Refused (`conflict`) when nothing is held.',
      parameters: ['id', 'authorization_id'],
      body: data_of_domain,
      documented_body: release_hold,
      refusals: ['conflict'],
      answer: authorization_item,
      runs_alone: shares_pass,
      async perform({ caller, actor, id, authorization_id, body, request_id, source_address }) {
        const answer = await ports.network.release({
          kind: 'release',
          number_index: null,
          vcn_id: id,
          authorization_id,
          company_id: caller.role === 'operator' ? null : companyOf(caller),
          note: readReleaseNote(body.data),
          actor,
          request_id,
          source_address,
        });
        if (answer.kind === 'refused') throw answer.refusal;
        return answer.item;
      },
    }),
    operation('administration', {
      id: 'operator.virtualCards.codeFailures.reset',
      method: 'operator.cards.resetCodeFailures',
      summary: 'Forget the wrong codes of a card',
      parameters: ['id'],
      description: `After ${code_failures_max} wrong codes in a UTC day, every code of the card counts as wrong until the day is over. This ends it early, and writes the audit log and the event virtualcard.updated. For a card without wrong codes today nothing is recorded.`,
      answer: code_failures,
      async write(tx, call) {
        const { card } = await resetCodeFailures(tx, operatorCall(call), call.id);
        return presentCodeFailures(card);
      },
    }),
  ];
}

/** Why a number is shown, if the call says it. Refuses (`invalid_query`) what is no note. */
function readReason(query: Query): { readonly reason?: string } {
  const text = query.text('reason');
  if (text === undefined) return {};
  const problem = { path: 'reason', message: `must be text of 1 to ${note_length_max} characters` };
  if (isBlank(text) || text.length > note_length_max || !isStorable(text)) throw invalidQuery(problem);
  return { reason: maskCardNumbers(text.trim()) };
}

/** The values of a card that name or match, by the path of their field. */
function namesIn({ supplier_id, emails }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const addresses = Array.isArray(emails) ? emails : [];
  return { supplier_id, ...Object.fromEntries(addresses.map((email, at) => [`emails[${at}]`, email])) };
}

/**
 * Reads the filter of the query. Refuses (`invalid_query`) each value that no card can have. Leaves
 * out filters that only operators have.
 */
export function readCardFilter(query: Query): CardFilter {
  const errors: FieldError[] = [];
  const metadata: [string, string][] = [];
  const filter: Record<string, boolean | string | number> = {};
  for (const [name, value] of query.filters) {
    const [, metadata_name] = metadata_filter.exec(name) ?? [];
    if (metadata_name !== undefined) {
      // Metadata is stored without card numbers.
      metadata.push([metadata_name, maskCardNumbers(value)]);
      continue;
    }
    if (!Object.hasOwn(filters, name)) continue;
    const { read, expected } = filters[name as keyof typeof filters];
    const known = read(value);
    if (known === null) errors.push({ path: query.names.filter(name), message: `must be ${expected}` });
    else filter[name] = known;
  }
  if (errors.length > 0) throw invalidQuery(...errors);
  return metadata.length === 0 ? filter : { ...filter, metadata: Object.fromEntries(metadata) };
}
