import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ledger, LedgerChanges, LedgerState } from '@tallystick/cards';
import { look } from '@tallystick/harness';
import { Fault, missedDeadline } from '@tallystick/kernel';
import { type OpenStorage, openStorage, plantStores, storage_suites } from './storage-suites.ts';

interface Breach {
  /** The defect of the adapter. */
  readonly does: string;
  /** The rule that it breaks. */
  readonly breaks: string;
  readonly plant: (open: OpenStorage) => Partial<OpenStorage>;
}

/** Changes the state that the folds of a ledger read, or the changes that they write. */
function plantLedger(change: {
  readonly state?: (state: LedgerState) => Partial<LedgerState>;
  readonly changes?: (changes: LedgerChanges) => Partial<LedgerChanges>;
}): Breach['plant'] {
  return ({ ledger }) => {
    const pass: Ledger['pass'] = (messages, fold) =>
      ledger.pass(messages, (state) => {
        const { changes, result } = fold({ ...state, ...change.state?.(state) });
        return { changes: { ...changes, ...change.changes?.(changes) }, result };
      });
    return { ledger: { ...ledger, pass } };
  };
}

/** For each port, adapters with a defect. */
const breaches: Readonly<Record<keyof typeof storage_suites, readonly Breach[]>> = {
  ActivityStore: [
    {
      does: 'replaces a count',
      breaks: 'counts of racing transactions add up by company, hour and outcome',
      plant: plantStores(({ activity }) => ({
        activity: {
          ...activity,
          async add(counts) {
            const known = await Promise.all(counts.map(({ company_id }) => activity.read(company_id, 0)));
            if (known.flat().length === 0) await activity.add(counts);
          },
        },
      })),
    },
    {
      does: 'purges the hour of the instant',
      breaks: 'a purge deletes at most so many counts, all of hours before the instant',
      plant: plantStores(({ activity }) => ({
        activity: { ...activity, purge: (before_ms, limit) => activity.purge(before_ms + 1, limit) },
      })),
    },
    {
      does: 'counts all that waits',
      breaks: 'the backlog counts what waits, and no more than it was asked for',
      plant: plantStores(({ backlog }) => ({
        backlog: { count: (now_ms) => backlog.count(now_ms, Number.MAX_SAFE_INTEGER) },
      })),
    },
  ],
  AuthorisationStore: [
    {
      does: 'lets a record be used twice',
      breaks: 'exactly one of several racing uses uses the record',
      plant: plantStores(({ authorisation }) => ({
        authorisation: {
          ...authorisation,
          consume: async (...use) => (await authorisation.consume(...use)) || use[2] > 1,
        },
      })),
    },
    {
      does: 'forgets the use of a record that is put again',
      breaks: 'a record that is put again is replaced, and its use stays recorded',
      plant: plantStores(({ authorisation }) => ({
        authorisation: {
          ...authorisation,
          async put(record) {
            await authorisation.end(record.model, record.id_hash);
            await authorisation.put(record);
          },
        },
      })),
    },
    {
      does: 'leaves the grant of a consent that ended',
      breaks: 'records end by id, by grant, by consent and by client, on every process, and others stay',
      plant: plantStores(({ authorisation }) => ({
        authorisation: {
          ...authorisation,
          async endByConsent() {},
        },
      })),
    },
    {
      does: 'knows an end of grants that do not exist',
      breaks: 'the grants of a consent end with the last one that is left',
      plant: plantStores(({ authorisation }) => ({
        authorisation: {
          ...authorisation,
          grantsEnd: async (consent_id) => (await authorisation.grantsEnd(consent_id)) ?? 0,
        },
      })),
    },
  ],
  BacktestStore: [
    {
      does: 'counts records of a card that was not done',
      breaks: 'a claim continues after the last card that is done, without what was found on others',
      plant: plantStores(({ backtests }) => ({
        backtests: {
          ...backtests,
          async claim(...given) {
            const claimed = await backtests.claim(...given);
            return claimed === null ? null : { ...claimed, card_messages: 9 };
          },
        },
      })),
    },
    {
      does: 'says that a lease holds that is over',
      breaks: 'of racing processes one claims a backtest, and others when its lease is over',
      plant: plantStores(({ backtests }) => ({
        backtests: { ...backtests, save: async (...given) => (await backtests.save(...given)) || true },
      })),
    },
    {
      does: 'reads the first card only',
      breaks: 'the histories of several cards are read in pages, each from its place',
      plant: plantStores(({ backtests }) => ({
        backtests: {
          ...backtests,
          authorizationsAfter: (places, limit) => backtests.authorizationsAfter(places.slice(0, 1), limit),
        },
      })),
    },
  ],
  BankStore: [
    {
      does: 'reads statement lines only',
      breaks:
        'transactions are statement lines and shown ones in one order, on pages in both directions that omit none',
      plant: plantStores(({ bank }) => ({ bank: { ...bank, recordShown: async ({ length }) => length } })),
    },
    {
      does: 'leads back from the first page',
      breaks:
        'a user is read as it was put last, and users are listed in the order in which they were made, of one company or of all',
      plant: plantStores(({ bank }) => ({
        bank: {
          ...bank,
          async listUsers(filter, page) {
            const read = await bank.listUsers(filter, page);
            return { ...read, prev: read.prev ?? read.next };
          },
        },
      })),
    },
    {
      does: 'replaces a balance with an earlier one',
      breaks: 'a balance is the reported one or that of the last statement, whichever is later, else 0',
      plant: plantStores(({ bank }) => ({
        bank: {
          ...bank,
          async putBalances(balances) {
            const stored = await bank.balancesOf(balances.map(({ account_id }) => account_id));
            const latest_ms = Math.max(0, ...stored.map(({ as_of_ms }) => as_of_ms));
            return await bank.putBalances(
              balances.map((balance) => ({ ...balance, as_of_ms: Math.max(balance.as_of_ms, latest_ms) })),
            );
          },
        },
      })),
    },
    {
      does: 'reads cancelled mandates',
      breaks: 'only active mandates, and orders and payments that are pending on the date, are read, by account and id',
      plant: plantStores(({ bank }) => ({
        bank: {
          ...bank,
          putDirectDebits: (rows) => bank.putDirectDebits(rows.map((row) => ({ ...row, status: 'active' }))),
        },
      })),
    },
  ],
  ConsentStore: [
    {
      does: 'finds a ConsentId in other letters',
      breaks: 'a ConsentId is found exactly as it is written, and an unknown one is null',
      plant: plantStores(({ consents }) => ({
        consents: { ...consents, find: async (consent_id) => await consents.find(consent_id.toLowerCase()) },
      })),
    },
    {
      does: 'lists consents that were deleted',
      breaks:
        'a consent of a user is active while it is authorised, not withdrawn, stopped, revoked, deleted, expired or older than 90 days, else ended',
      plant: plantStores(({ consents }) => ({
        consents: {
          ...consents,
          insert: (consent) => consents.insert({ ...consent, deleted_at_ms: null }),
        },
      })),
    },
    {
      does: 'lists consents that have expired',
      breaks:
        'a consent of a user is active while it is authorised, not withdrawn, stopped, revoked, deleted, expired or older than 90 days, else ended',
      plant: plantStores(({ consents }) => ({
        consents: {
          ...consents,
          listActiveOfUser: (user_id, _now_ms, page) => consents.listActiveOfUser(user_id, 0, page),
        },
      })),
    },
    {
      does: 'stops the consents of all third parties',
      breaks: 'a stop of a third party stops its authorised consents that it has not stopped, and changes no other',
      plant: plantStores(({ consents }) => ({
        consents: {
          ...consents,
          async stopOfClient(client_id, now_ms) {
            for (const each of [client_id, `${client_id}x`]) await consents.stopOfClient(each, now_ms);
          },
        },
      })),
    },
    {
      does: 'updates the status only',
      breaks: 'a consent of each kind is read as it was inserted and as it was updated',
      plant: plantStores(({ consents }) => ({
        consents: {
          ...consents,
          async update({ consent_id, status }) {
            await consents.update({ ...(await consents.find(consent_id))!, status });
          },
        },
      })),
    },
  ],
  ThirdPartyStore: [
    {
      does: 'loses the keys',
      breaks: 'a third party is read as it was inserted and as it was updated, by id and by client id',
      plant: plantStores(({ third_parties }) => ({
        third_parties: {
          ...third_parties,
          insert: (third_party) => third_parties.insert({ ...third_party, jwks: null }),
        },
      })),
    },
    {
      does: 'stores a client id for two third parties',
      breaks: 'a client id belongs to one third party, also when two processes insert it at once',
      plant: plantStores(({ third_parties }) => ({
        third_parties: {
          ...third_parties,
          insert: (third_party) =>
            third_parties.insert({ ...third_party, client_id: `${third_party.client_id}-${crypto.randomUUID()}` }),
        },
      })),
    },
    {
      does: 'lists the oldest first',
      breaks: 'third parties are listed the newest first, page by page',
      plant: plantStores(({ third_parties }) => ({
        third_parties: {
          ...third_parties,
          async list(page) {
            const found = await third_parties.list(page);
            return { ...found, items: found.items.toReversed() };
          },
        },
      })),
    },
  ],
  AccountStore: [
    {
      does: 'records known lines again',
      breaks: 'lines are recorded once, by bank reference or by place, and known ones stay as they are',
      plant: plantStores(({ accounts }) => ({
        accounts: {
          ...accounts,
          recordLines: (lines) => accounts.recordLines(lines.map((line) => ({ ...line, bank_reference: null }))),
        },
      })),
    },
    {
      does: 'records known lines of a statement again',
      breaks: 'lines are recorded once, by bank reference or by place, and known ones stay as they are',
      plant: plantStores(({ accounts }) => ({
        accounts: {
          ...accounts,
          recordLines: (lines) => accounts.recordLines(lines.map((line) => ({ ...line, place: null }))),
        },
      })),
    },
    {
      does: 'knows a line by its bank reference alone',
      breaks:
        'a bank reference has several lines, which differ in date, amount, code or occurrence, and one of no statement',
      plant: plantStores(({ accounts }) => ({
        accounts: {
          ...accounts,
          recordLines: (lines) =>
            accounts.recordLines(lines.map((line) => ({ ...line, statement_id: null, place: null }))),
        },
      })),
    },
    {
      does: 'returns the statements of a day in the order of their ids',
      breaks: 'statements are read in the order of their chain, with the neighbours of a date',
      plant: plantStores(({ accounts }) => ({
        accounts: {
          ...accounts,
          statementsOf: async (account_id, as_of) =>
            (await accounts.statementsOf(account_id, as_of)).toSorted((a, b) => a.id - b.id),
        },
      })),
    },
    {
      does: 'ignores the last day of a list of lines',
      breaks: 'the lines of an account are listed by booking date, newest first, within dates, on pages that omit none',
      plant: plantStores(({ accounts }) => ({
        accounts: {
          ...accounts,
          listLines: (id, { from }, page) => accounts.listLines(id, from === undefined ? {} : { from }, page),
        },
      })),
    },
  ],
  ReconciliationReports: [
    {
      does: 'adds up the first day of a bridge twice',
      breaks: 'a bridge adds up over any records and any dates, and lists as unexplained the lines of breaks',
      plant: plantStores(({ reconciliation_reports: reports }) => ({
        reconciliation_reports: {
          ...reports,
          sumBookedBefore: (account_id, date) => reports.sumBookedBefore(account_id, `${date}~`),
        },
      })),
    },
    {
      does: 'counts no match of statement lines',
      breaks: 'the matches of items are counted by rule and side, and records by their kind',
      plant: plantStores(({ reconciliation_reports: reports }) => ({
        reconciliation_reports: {
          ...reports,
          countMatches: async (...asked) =>
            (await reports.countMatches(...asked)).filter(({ side }) => side === 'authorization'),
        },
      })),
    },
  ],
  ReconciliationStore: [
    {
      does: 'ignores the kind in lists of items',
      breaks: 'items are listed newest first by each filter and by several, on pages that omit none',
      plant: plantStores(({ reconciliation }) => ({
        reconciliation: {
          ...reconciliation,
          list: (company_id, { kind: _kind, ...filter }, page) => reconciliation.list(company_id, filter, page),
        },
      })),
    },
    {
      does: 'finds no acts',
      breaks: 'acts are found by the records that they concern, and are no work by themselves',
      plant: plantStores(({ reconciliation }) => ({
        reconciliation: { ...reconciliation, actsOn: async () => [] },
      })),
    },
  ],
  AuditLog: [
    {
      does: 'orders a page of the audit log by id',
      breaks: 'entries are read as they were recorded, newest first by time and then by id, on pages that omit none',
      plant: plantStores(({ audit }) => ({
        audit: {
          ...audit,
          async list(filter, page) {
            const { items, next } = await audit.list(filter, page);
            return { items: items.toSorted((a, b) => b.id - a.id), next };
          },
        },
      })),
    },
    {
      does: 'ignores the filter of an object',
      breaks: 'entries are filtered by company, actor, action, object and time, and by several together',
      plant: plantStores(({ audit }) => ({
        audit: { ...audit, list: ({ object: _, ...filter }, page) => audit.list(filter, page) },
      })),
    },
  ],
  ConsultationStore: [
    {
      does: 'keeps a second late answer',
      breaks: 'a late answer is kept once, and only of what is concluded',
      plant: plantStores(({ consultations }) => ({
        consultations: {
          ...consultations,
          keepLate: async (...late) =>
            (await consultations.keepLate(...late)) ?? (await consultations.find(late[0], late[1])),
        },
      })),
    },
    {
      does: 'finds the consultations of other companies',
      breaks: 'a consultation is read as passes wrote it, by its company only',
      plant: plantStores(({ consultations }) => {
        const find = async (company_id: number, id: string) =>
          (await consultations.find(company_id, id)) ?? (await consultations.find(company_id - 1, id));
        return { consultations: { ...consultations, find } };
      }),
    },
    {
      does: 'deletes what was sent at the instant',
      breaks: 'the oldest are deleted, as many as asked for, and none that was sent later',
      plant: plantStores(({ consultations }) => ({
        consultations: { ...consultations, purge: (before_ms, limit) => consultations.purge(before_ms + 1, limit) },
      })),
    },
    {
      does: 'forgets that a request was decided when its company is asked again',
      breaks: 'a concluded consultation stays as it is when its message is asked about or decided again',
      plant: plantLedger({
        changes: ({ consultations = [] }) => ({
          consultations: consultations.map((entry) =>
            entry.authorization_id === null || entry.answer === 'decline'
              ? entry
              : { ...entry, authorization_id: null },
          ),
        }),
      }),
    },
  ],
  QuarantineStore: [
    {
      does: 'applies a record twice',
      breaks: 'a record is applied once, and then it is not open',
      plant: plantStores(({ quarantine }) => ({
        quarantine: {
          ...quarantine,
          apply: async (applied, at_ms) =>
            (await quarantine.apply(applied, at_ms)) || (await quarantine.find(applied.id)) !== null,
        },
      })),
    },
    {
      does: 'loses refused messages',
      breaks: 'a refused message is read as the pass wrote it',
      plant: plantLedger({ changes: () => ({ quarantined: [] }) }),
    },
    {
      does: 'does not seal again',
      breaks: 'records are read in batches in ascending order of id, and their sealed message is replaced',
      plant: plantStores(({ quarantine }) => ({ quarantine: { ...quarantine, reseal: async () => {} } })),
    },
  ],
  ImportStore: [
    {
      does: 'does not find the import of known bytes',
      breaks: 'an import is read as it was written, by another process too',
      plant: plantStores(({ imports }) => ({ imports: { ...imports, findBySha256: async () => null } })),
    },
    {
      does: 'applies a batch without looking at the claim',
      breaks:
        'a pass counts the records of a batch, removes a whole one, and writes nothing unless the records are next',
      plant: plantLedger({ changes: () => ({ file_progress: undefined }) }),
    },
    {
      does: 'does not move what is staged',
      breaks:
        'batches are taken in the order of their numbers, kept apart by kind, moved, and removed with their import',
      plant: plantStores(({ imports }) => ({ imports: { ...imports, moveStaged: async () => {} } })),
    },
    {
      does: 'forgets whose lease has ended',
      breaks: 'running imports are found when their lease has ended',
      plant: plantStores(({ imports }) => ({ imports: { ...imports, listDead: async () => [] } })),
    },
    {
      does: 'counts no records that are applied together',
      breaks:
        'records that are applied together count once on their import, but for those of others and those not open',
      plant: plantStores(({ quarantine }) => ({ quarantine: { ...quarantine, applyOfImport: async () => {} } })),
    },
    {
      does: 'looks for the file before among all files',
      breaks: 'the file with the same id, and the file before it in its series, are found among accepted ones',
      plant: plantStores(({ imports }) => ({ imports: { ...imports, findPrevious: async () => null } })),
    },
  ],
  UnitOfWork: [
    {
      does: 'commits what was written before an error',
      breaks: 'nothing is written when the work rejects; a refusal and a violation pass through',
      plant: ({ unitOfWork }) => ({
        unitOfWork: {
          ...unitOfWork,
          async run(work) {
            const outcome = await unitOfWork.run((tx) =>
              work(tx).then(
                (value) => ({ value }),
                (error) => ({ error }),
              ),
            );
            if ('error' in outcome) throw outcome.error;
            return outcome.value;
          },
        },
      }),
    },
    {
      does: 'turns every error into a fault',
      breaks: 'nothing is written when the work rejects; a refusal and a violation pass through',
      plant: ({ unitOfWork }) => ({
        unitOfWork: {
          ...unitOfWork,
          run: (work) =>
            unitOfWork.run(work).catch(() => {
              throw new Fault('failed', { retryable: false });
            }),
        },
      }),
    },
    {
      does: 'lets work that only reads write',
      breaks: 'a write in work that only reads is an error, and is not stored',
      plant: ({ unitOfWork }) => ({ unitOfWork: { ...unitOfWork, read: (work) => unitOfWork.run(work) } }),
    },
    {
      does: 'lets work that only reads wait for writers',
      breaks: 'work that only reads does not wait for writers of its own process, and sees what was committed before',
      plant: ({ unitOfWork }) => ({ unitOfWork: { ...unitOfWork, read: (work) => unitOfWork.run(work) } }),
    },
    {
      does: 'does not close',
      breaks: 'an open transaction ends before its process closes, and none begins afterwards',
      plant: () => ({ close: async () => {} }),
    },
  ],
  CardStore: [
    {
      does: 'keeps the wrong codes of a reset card',
      breaks: 'a reset sets the wrong codes of a card of any company to none and changes nothing else',
      plant: plantStores(({ cards }) => ({ cards: { ...cards, resetCodeFailures: async () => null } })),
    },
    {
      does: 'finds the card of any company',
      breaks: 'a company finds neither the cards of another company nor their activity',
      plant: plantStores(({ cards, companies }) => ({
        cards: {
          ...cards,
          async find(_company_id, id, options) {
            const { items } = await companies.list({ limit: 100 });
            const found = await Promise.all(items.map((company) => cards.find(company.id, id, options)));
            return found.find((card) => card !== null) ?? null;
          },
        },
      })),
    },
    {
      does: 'inserts a number that another card has',
      breaks: 'one insert of a number succeeds, also when inserts race; the others return null',
      plant: plantStores(({ cards }) => ({
        cards: {
          ...cards,
          async insert(card, number, window_start_ms) {
            const inserted = await cards.insert(card, number, window_start_ms);
            const number_index = crypto.getRandomValues(new Uint8Array(32));
            return inserted ?? (await cards.insert(card, { ...number, number_index }, window_start_ms));
          },
        },
      })),
    },
    {
      does: 'omits the metadata from updates',
      breaks: 'metadata is found by any name and any length, as the last update wrote it',
      plant: plantStores(({ cards }) => ({
        cards: {
          ...cards,
          async update(card) {
            const { metadata } = (await cards.find(card.company_id, card.id))!;
            await cards.update({ ...card, metadata });
          },
        },
      })),
    },
    {
      does: 'ignores a filter',
      breaks: 'a list contains the cards that meet every filter, newest first, on pages of any size',
      plant: plantStores(({ cards }) => ({
        cards: {
          ...cards,
          list: (company_id, { last4: _last4, ...filter }, page) => cards.list(company_id, filter, page),
        },
      })),
    },
    {
      does: 'shows the oldest authorizations first',
      breaks: 'the newest authorizations of each card are listed newest first, with the status of their root',
      plant: plantStores(({ cards }) => ({
        cards: {
          ...cards,
          async newestAuthorizations(card_ids, limit) {
            const newest = await cards.newestAuthorizations(card_ids, limit);
            return new Map([...newest].map(([id, rows]) => [id, rows.toReversed()]));
          },
        },
      })),
    },
    {
      does: 'sums holds before their end',
      breaks:
        'ended holds of open authorizations in the window of the counters are summed, and the next end is found, by card',
      plant: plantStores(({ cards }) => ({
        cards: { ...cards, holdEnds: (card_ids, now_ms) => cards.holdEnds(card_ids, now_ms + 1_000) },
      })),
    },
    {
      does: 'returns numbers that other keys sealed in any order',
      breaks: 'numbers that other keys sealed are found in ascending order of card id, until none is left',
      plant: plantStores(({ cards }) => ({
        cards: {
          ...cards,
          sealedByOtherKeys: async (...request) => (await cards.sealedByOtherKeys(...request)).toReversed(),
        },
      })),
    },
  ],
  'CardStore, and searches of authorizations': [
    {
      does: 'compares the status with that of the message itself',
      breaks: 'a search finds exactly the messages that meet it now, newest first, on pages of any size',
      plant: plantStores(({ cards }) => ({
        cards: {
          ...cards,
          async searchAuthorizations(company_id, { status, filters }, page) {
            const { items, next } = await cards.searchAuthorizations(company_id, { filters }, page);
            const is_own = ({ authorization: { root_id, id } }: (typeof items)[number]) => root_id === id;
            const met = items.filter(
              (one) => status === undefined || (is_own(one) && one.authorization.status === status),
            );
            return { items: met, next };
          },
        },
      })),
    },
    {
      does: 'leaves out filters of numbers when it searches all companies',
      breaks: 'a search of all companies finds the messages of each, also by numbers and by a later status',
      plant: plantStores(({ cards }) => ({
        cards: {
          ...cards,
          searchAuthorizations: (company_id, { filters, ...search }, page) => {
            const of_texts = filters.filter((filter) => company_id !== null || filter.kind === 'equals');
            return cards.searchAuthorizations(company_id, { ...search, filters: of_texts }, page);
          },
        },
      })),
    },
    {
      does: 'counts the messages of earlier pages from the newest on',
      breaks: 'a search shows each message once and loses none while others arrive and change',
      plant: plantStores(({ cards }) => ({
        cards: {
          ...cards,
          async searchAuthorizations(company_id, search, { limit, after = '0' }) {
            const offset = Number(after);
            const { items, next } = await cards.searchAuthorizations(company_id, search, { limit, offset });
            return { items, next: next === null ? null : String(offset + limit) };
          },
        },
      })),
    },
  ],
  RealCardStore: [
    {
      does: 'finds the real card of any company',
      breaks: 'a real card is read as it was inserted, by its company only',
      plant: plantStores(({ real_cards }) => ({
        real_cards: {
          ...real_cards,
          async find(_company_id, id) {
            const { items } = await real_cards.list(null, { limit: 100 });
            return items.find((card) => card.id === id) ?? null;
          },
        },
      })),
    },
    {
      does: 'keeps the first default',
      breaks: 'a company has one default, the last one that was set, also after concurrent changes',
      plant: plantStores(({ real_cards }) => ({
        real_cards: {
          ...real_cards,
          async insert(card) {
            const has_default = (await real_cards.findDefault(card.company_id)) !== null;
            return await real_cards.insert({ ...card, is_default: card.is_default && !has_default });
          },
        },
      })),
    },
  ],
  TemplateStore: [
    {
      does: 'inserts a name twice',
      breaks:
        'one of several racing inserts of one name in a company succeeds; the others are refused with the path of the name',
      plant: plantStores(({ templates }) => ({
        templates: {
          ...templates,
          insert: async (template) => {
            const taken = await templates.nameTaken(template.company_id!, template.name);
            return await templates.insert(taken ? { ...template, name: crypto.randomUUID() } : template);
          },
        },
      })),
    },
    {
      does: 'claims templates that are not due',
      breaks: 'one of many racing claims gets each due template, and none gets one early',
      plant: plantStores(({ templates }) => ({
        templates: { ...templates, claimDue: (now_ms, limit) => templates.claimDue(now_ms + 1, limit) },
      })),
    },
    {
      does: 'refuses the name of a deleted template',
      breaks: 'a deleted template is not found, and its name is free again',
      plant: plantStores(({ templates }) => ({ templates: { ...templates, nameTaken: async () => true } })),
    },
  ],
  EventStore: [
    {
      does: 'appends in another order',
      breaks: 'events are read as they were written, and their ids ascend',
      plant: plantStores(({ events }) => ({
        events: { ...events, append: async (fresh) => (await events.append(fresh.toReversed())).toReversed() },
      })),
    },
    {
      does: 'omits the upper end of a range',
      breaks: 'each filter finds its value; each range includes both ends, and either may be open',
      plant: plantStores(({ events }) => ({
        events: {
          ...events,
          list(company_id, filters, page) {
            const narrow = filters.map((filter) =>
              filter.kind === 'range' && typeof filter.to === 'number' ? { ...filter, to: filter.to - 1 } : filter,
            );
            return events.list(company_id, narrow, page);
          },
        },
      })),
    },
    {
      does: 'applies only the first of several filters',
      breaks: 'a filter finds exactly the events that meet it, newest first, on pages of any size',
      plant: plantStores(({ events }) => ({
        events: { ...events, list: (company_id, filters, page) => events.list(company_id, filters.slice(0, 1), page) },
      })),
    },
    {
      does: 'starts at the first page for a foreign cursor',
      breaks: 'a cursor that the log did not create is refused',
      plant: plantStores(({ events }) => ({
        events: {
          ...events,
          list: (company_id, filters, { after: _after, ...page }) => events.list(company_id, filters, page),
        },
      })),
    },
  ],
  Ledger: [
    {
      does: 'does not lock the cards between reading and writing',
      breaks: 'exactly as many of 64 racing messages are approved as the total allows',
      plant: ({ ledger }) => ({
        ledger: {
          ...ledger,
          async pass(messages, fold) {
            const { changes, result } = fold(await ledger.pass(messages, look));
            return await ledger.pass(messages, () => ({ changes, result }));
          },
        },
      }),
    },
    {
      does: 'omits the roots of found authorizations',
      breaks: 'the root of a found authorization is loaded, even with another trace id',
      plant: plantLedger({
        state: ({ authorizations }) => ({ authorizations: authorizations.filter((row) => row.trace_id !== 'T-root') }),
      }),
    },
    {
      does: 'omits holds that end at this instant',
      breaks: 'when a hold has ended, the ended holds and the next one are loaded',
      plant: plantLedger({
        state: ({ now_ms, authorizations }) => ({
          authorizations: authorizations.filter(({ hold_end_ms }) => hold_end_ms !== now_ms),
        }),
      }),
    },
    {
      does: 'finds no copy of a clearing on another card',
      breaks: 'a clearing is loaded as it was written, for a repeated message on any card or on none',
      plant: plantLedger({
        state: ({ cards, clearings }) => ({
          clearings: clearings.filter(({ card_id }) => cards.some(({ id }) => id === card_id)),
        }),
      }),
    },
    {
      does: 'omits the clearings that refer to a reference',
      breaks: 'for a credit, the clearings that refer to those found are loaded, and those that refer to these',
      plant: plantLedger({
        state: ({ clearings }) => {
          const first = new Set(clearings.filter((row) => row.clearing_id === null).map(({ id }) => id));
          return { clearings: clearings.filter(({ clearing_id: to }) => to === null || first.has(to)) };
        },
      }),
    },
    {
      does: 'does not write what a pass changed of a clearing',
      breaks: 'a changed clearing has its new match and effect, and all else as it was',
      plant: plantLedger({ changes: () => ({ clearings_changed: [] }) }),
    },
    {
      does: 'does not find a clearing by the other id of a pair',
      breaks: 'a clearing that was changed to have two ids is found by either, on any card',
      plant: plantLedger({
        state: ({ clearings }) => ({ clearings: clearings.filter((row) => row.paired_transaction_id === null) }),
      }),
    },
    {
      does: 'also counts the matches that are final',
      breaks: 'a card has the number of its provisional clearings, and the last settlement date',
      plant: plantLedger({
        state: ({ cards }) => ({
          cards: cards.map((card) => ({
            ...card,
            provisional_clearings: card.settled_through === null ? 0 : card.provisional_clearings + 1,
          })),
        }),
      }),
    },
    {
      does: 'loads no clearings for authorizations',
      breaks: 'an authorization is loaded with the clearings that may belong to it, and what these may belong to',
      plant: plantLedger({
        state: ({ clearings, clearing_ids }) => ({ clearings: clearing_ids.length === 0 ? [] : clearings }),
      }),
    },
    {
      does: 'names no card with too many neighbours',
      breaks: 'the cards of which not all neighbours are loaded are named, and of the others all are loaded',
      plant: plantLedger({ state: () => ({ cut_card_ids: [] }) }),
    },
    {
      does: 'does not replace the counters of a past window',
      breaks: 'a past window is loaded as the last pass wrote it, when a loaded authorization or clearing counts in it',
      plant: plantLedger({ changes: ({ windows }) => ({ windows: windows.filter(({ held }) => held !== 7) }) }),
    },
    {
      does: 'loads only past windows that were written',
      breaks: 'a past window that was never written is loaded with counters of 0',
      plant: plantLedger({ state: ({ windows }) => ({ windows: windows.filter(({ uses }) => uses > 0) }) }),
    },
    {
      does: 'omits the windows of ended holds',
      breaks: 'the windows of ended holds are loaded',
      plant: plantLedger({
        state: ({ cards, windows }) => ({
          windows: cards.some(({ counters }) => counters.next_hold_end_ms !== null) ? [] : windows,
        }),
      }),
    },
    {
      does: 'finds no number that a message looks up',
      breaks: 'of the numbers that messages look up, those of cards are found, and no card of them is locked',
      plant: plantLedger({ state: () => ({ known_numbers: [] }) }),
    },
    {
      does: 'does not write the day of wrong codes',
      breaks: 'the wrong codes of a card are loaded as the last pass wrote them',
      plant: plantLedger({
        changes: ({ counters }) => ({
          counters: counters.map(({ card_id, counters: of }) => {
            return { card_id, counters: { ...of, code_failures_on: null } };
          }),
        }),
      }),
    },
    {
      does: 'assigns ids that do not ascend',
      breaks: 'a pass has new ascending ids, one of each kind for every message that may need one',
      plant: plantLedger({ state: ({ event_ids }) => ({ event_ids: event_ids.toReversed() }) }),
    },
    {
      does: 'does not write the events of a pass',
      breaks: 'when a pass resolves, its counters, authorizations, clearings and events can be read',
      plant: plantLedger({ changes: () => ({ events: [] }) }),
    },
    {
      does: 'does not write a change of the hold end',
      breaks: 'an authorization that a pass changed is loaded with the change',
      plant: plantLedger({
        changes: ({ authorizations_changed }) => ({
          authorizations_changed: authorizations_changed.map((change) => ({ ...change, hold_end_ms: null })),
        }),
      }),
    },
    {
      does: 'decides messages after their deadline',
      breaks: 'a pass whose deadline has passed decides nothing, and the same messages can be decided later',
      plant: ({ ledger }) => ({ ledger: { ...ledger, pass: (messages, fold) => ledger.pass(messages, fold) } }),
    },
    {
      does: 'decides a message whose caller was notified that it missed the deadline',
      breaks: 'a pass rejects at its deadline while another transaction holds its card, and decides nothing afterwards',
      plant: ({ ledger }) => ({
        ledger: {
          ...ledger,
          async pass(messages, fold, { deadline } = {}) {
            const pass = ledger.pass(messages, fold);
            if (deadline === undefined) return await pass;
            pass.catch(() => {});
            return await Promise.race([
              pass,
              new Promise<never>((_resolve, reject) => setTimeout(() => reject(missedDeadline()), deadline.leftMs())),
            ]);
          },
        },
      }),
    },
    {
      does: 'takes every due card, whatever the limit',
      breaks: 'a pass over due cards takes the cards whose next hold has ended, at most the limit',
      plant: ({ ledger }) => ({ ledger: { ...ledger, passDue: (_limit, fold) => ledger.passDue(1_000, fold) } }),
    },
  ],
};

for (const [port, planted] of Object.entries(breaches)) {
  describe(`the suite of ${port} catches an adapter that`, () => {
    for (const { does, breaks, plant } of planted) {
      it(does, async () => {
        const found = storage_suites[port as keyof typeof breaches].find(({ rule }) => rule === breaks);
        assert.ok(found !== undefined, `the suite has the rule "${breaks}"`);
        await found.check(() => openStorage());
        await assert.rejects(found.check(() => openStorage(plant)));
      });
    }
  });
}
