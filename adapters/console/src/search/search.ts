/**
 * Looks for what a person typed. Each kind of thing asks a few lists for a few items, by filters
 * that have an index or look at a bounded number of rows, and only what the person may call.
 */
import { decimalsOf, Refusal } from '@tallystick/kernel';
import type { Results } from '@tallystick/operations';
import { type Content, html } from '../look/html.ts';
import { date, foreign, instant, money } from '../look/values.ts';
import type { Visit, VisitCall } from '../visit.ts';
import { type Kind, minorUnits, type Reading } from './parse-search.ts';

/** Something that was found, with enough to recognise it. */
export interface Found {
  readonly kind: Kind;
  readonly id: string;
  /** Where it is shown. */
  readonly to: string;
  readonly name: Content;
  readonly facts: readonly Content[];
  /** Whether the text names it: its id, its code, its digits. Others begin with the text, or have it. */
  readonly is_exact: boolean;
}

/** The items that each list is asked for. */
const limit = 8;

/** The newest that are looked at for a part of a name, which no index has: of a list, or of an amount. */
const looked_back = 100;

/** The decimals of amounts when no currency of the company says otherwise. */
const usual_decimals = 2;

/** Returns what the text finds in the company of the page: what it names first. */
export async function search(visit: Visit, reading: Reading): Promise<readonly Found[]> {
  const real_cards = await pageOf(visit, 'realCards.list', {});
  const units = amountsOf(reading, real_cards);
  let found_events: Promise<Recorded> | undefined;
  const recorded = () => {
    found_events ??= findRecorded(visit, reading, units);
    return found_events;
  };
  const asked = { visit, reading, units, real_cards, recorded };
  const found = await Promise.all(
    searches.filter(([kind]) => (reading.kind ?? kind) === kind).map(([, find]) => find(asked)),
  );
  const each_once = new Map<string, Found>();
  for (const one of found.flat()) {
    const key = `${one.kind} ${one.id}`;
    if (!each_once.has(key) || one.is_exact) each_once.set(key, one);
  }
  return [...each_once.values()].sort((a, b) => Number(b.is_exact) - Number(a.is_exact));
}

/** What the text names and nothing else: it is shown at once. Null: there is a choice, or nothing. */
export function directHit({ kind, id }: Reading, found: readonly Found[]): Found | null {
  const named = kind === null || id === null ? undefined : found.find((one) => one.kind === kind && one.id === id);
  const [only, ...others] = found;
  return named ?? (only !== undefined && others.length === 0 && only.is_exact ? only : null);
}

interface Asked {
  readonly visit: Visit;
  readonly reading: Reading;
  /** The amounts that the text may mean, minor units. */
  readonly units: readonly number[];
  readonly real_cards: Results['realCards.list']['items'];
  readonly recorded: () => Promise<Recorded>;
}

function amountsOf(reading: Reading, real_cards: Asked['real_cards']): readonly number[] {
  const currencies = reading.currency === null ? real_cards.map((card) => card.billing_currency) : [reading.currency];
  const decimals = currencies.length === 0 ? [usual_decimals] : currencies.map(decimalsOf);
  return [...new Set([...new Set(decimals)].flatMap((count) => minorUnits(reading, count)))];
}

const searches: readonly (readonly [Kind, (asked: Asked) => Promise<readonly Found[]>])[] = [
  ['card', findCards],
  ['authorization', findAuthorizations],
  ['clearing', findClearings],
  ['item', findItems],
  ['line', findLines],
  ['webhook', findWebhooks],
  ['import', findImports],
  ['consent', findConsents],
];

async function findCards({ visit, reading, real_cards }: Asked): Promise<readonly Found[]> {
  const { id, last4, metadata, text } = reading;
  const shown = (card: Results['virtualCards.read'], is_exact: boolean): Found => ({
    kind: 'card',
    id: card.id,
    to: visit.path(`/cards/${card.id}`),
    name: html`Card ${card.id}, ending in ${card.last4}`,
    facts: [foreign(card.rcn_alias), card.frozen ? 'Frozen' : card.status, metadataText(card.metadata)],
    is_exact,
  });
  const list = (filter: object) => pageOf(visit, 'virtualCards.list', filter);
  const of_alias = real_cards.filter(({ rcn_alias }) => hasPart(rcn_alias, text)).slice(0, 3);
  const [own, exact, ...of_aliases] = await Promise.all([
    id === null ? null : readOne(visit, 'virtualCards.read', { id }),
    Promise.all([
      last4 === null ? [] : list({ last4 }),
      metadata === null ? [] : list({ [`metadata.${metadata.name}`]: metadata.value }),
      list({ metadata_value: text }),
    ]),
    ...of_alias.map(({ rcn_id }) => list({ rcn_id })),
  ]);
  return [
    ...(own === null ? [] : [shown(own, true)]),
    ...exact.flat().map((card) => shown(card, true)),
    ...of_aliases.flat().map((card) => shown(card, false)),
  ];
}

async function findAuthorizations({ visit, reading, units, recorded }: Asked): Promise<readonly Found[]> {
  const { id, merchants, text } = reading;
  const shown = (one: Authorization, is_exact: boolean): Found => ({
    kind: 'authorization',
    id: String(one.id),
    to: visit.path(`/cards/${one.vcn_id}/decisions/${one.id}`),
    name: html`${money(one.merchant_amount, one.merchant_currency)} at ${foreign(one.merchant_name)}`,
    facts: [
      instant(one.transaction_date_time),
      one.status === 'declined' ? 'declined' : 'approved',
      html`card ${one.vcn_id}`,
      html`authorization ${one.id}`,
    ],
    is_exact,
  });
  const [own, { authorizations }, of_amount, begun] = await Promise.all([
    id === null ? null : readOne(visit, 'authorizations.read', { authorization_id: id }),
    recorded(),
    // Of cards in the merchant's currency these are the same.
    Promise.all(
      units
        .filter((amount) => amount >= 0)
        .map((merchant_amount) =>
          ofAmount(visit, reading, 'authorizations.list', { merchant_amount }, ({ merchant_name }) => merchant_name),
        ),
    ),
    merchantsWith(visit, text, merchants),
  ]);
  return [
    ...(own === null ? [] : [shown(own, true)]),
    ...[...authorizations, ...of_amount.flat()].map((one) => shown(one, true)),
    ...begun.map((one) => shown(one, one.merchant_name === text)),
  ];
}

/** The authorizations of merchants whose name begins with the text; else the newest with it in their name. */
async function merchantsWith(visit: Visit, text: string, merchants: readonly string[]) {
  if (merchants.length === 0) return [];
  const begun = await Promise.all(
    merchants.map((merchant_name_prefix) => pageOf(visit, 'authorizations.list', { merchant_name_prefix })),
  );
  if (begun.flat().length > 0) return begun.flat();
  const newest = await pageOf(visit, 'authorizations.list', {}, looked_back);
  return newest.filter(({ merchant_name }) => hasPart(merchant_name ?? '', text)).slice(0, limit);
}

type Authorization = Results['authorizations.read'];
type Clearing = Results['clearings.list']['items'][number];

interface Recorded {
  readonly authorizations: readonly Authorization[];
  readonly clearings: readonly Clearing[];
}

/** Authorizations and clearings by their events: one look into the index of events finds both. */
async function findRecorded(visit: Visit, reading: Reading, units: readonly number[]): Promise<Recorded> {
  const { approval_code, reference } = reading;
  const list = (filter: object) => pageOf(visit, 'events.list', filter);
  const payloads = await Promise.all([
    ...units
      .filter((amount) => amount >= 0)
      .map((amount) =>
        ofAmount(visit, reading, 'events.list', { 'payload.billing_amount': amount }, (one) =>
          isAuthorization(one) || isClearing(one) ? one.payload.merchant_name : null,
        ),
      ),
    approval_code === null ? [] : list({ 'payload.approval_code': approval_code.toUpperCase() }),
    reference === null ? [] : list({ 'payload.net_ref_num': reference }),
  ]);
  const events = payloads.flat();
  return {
    authorizations: events.filter(isAuthorization).map(({ payload }) => payload),
    clearings: events.filter(isClearing).map(({ payload }) => payload),
  };
}

function isAuthorization(one: Item<'events.list'>) {
  return one.event_type === 'virtualcard.realtime.auths';
}

function isClearing(one: Item<'events.list'>) {
  return one.event_type === 'virtualcard.clearings';
}

/** Clearings are found by their ids, and by their events. */
async function findClearings({ visit, reading, recorded }: Asked): Promise<readonly Found[]> {
  const { id, reference } = reading;
  const list = (filter: object) => pageOf(visit, 'clearings.list', filter);
  const [{ clearings }, ...found] = await Promise.all([
    recorded(),
    id === null ? [] : list({ id }),
    reference === null ? [] : list({ network_financial_transaction_id: reference }),
  ]);
  return [...found.flat(), ...clearings].map((one) => ({
    kind: 'clearing',
    id: String(one.id),
    to: visit.path(
      one.authorization_id === null ? `/cards/${one.vcn_id}` : `/cards/${one.vcn_id}/decisions/${one.authorization_id}`,
    ),
    name: html`${money(one.billing_amount, one.billing_currency)} at ${foreign(one.merchant_name)}`,
    facts: [
      one.clearing_type === 'CREDIT' ? 'credit' : 'debit',
      html`settled ${date(one.settlement_date)}`,
      html`card ${one.vcn_id}`,
      html`clearing ${one.id}`,
    ],
    is_exact: true,
  }));
}

/** Items by their own id only when the word for them is typed: people rarely know it. */
async function findItems({ visit, reading, units }: Asked): Promise<readonly Found[]> {
  const { id, kind, reference, merchants, text } = reading;
  const list = (filter: object) => pageOf(visit, 'reconciliation.items.list', filter);
  const [own, ...found] = await Promise.all([
    id === null || kind === null ? null : readOne(visit, 'reconciliation.items.read', { id }),
    ...units.map((amount) =>
      ofAmount(visit, reading, 'reconciliation.items.list', { amount, status: 'break' }, (one) =>
        [one.merchant_name, one.bank_text].join(' '),
      ),
    ),
    reference === null ? [] : list({ reference }),
    merchants.length === 0 ? [] : list({ merchant_name: text, status: 'break' }),
  ]);
  return [...(own === null ? [] : [own]), ...found.flat()].map((one) => ({
    kind: 'item',
    id: one.id,
    to: visit.path(`/items/${one.id}`),
    name: html`${money(one.stated ?? one.cleared ?? one.authorized, one.currency)} at ${foreign(one.merchant_name ?? one.bank_text)}`,
    facts: [one.kind ?? one.status, date(one.settlement_date ?? one.booking_date), html`item ${one.id}`],
    is_exact: true,
  }));
}

/** The same of lines. A person types what was paid: a debit, which is negative; else it is a credit. */
async function findLines({ visit, reading, units }: Asked): Promise<readonly Found[]> {
  const { id, kind, reference, merchants, text } = reading;
  const list = (filter: object) => pageOf(visit, 'reconciliation.lines.list', filter);
  const having = (amount: number) =>
    ofAmount(visit, reading, 'reconciliation.lines.list', { amount }, (one) => one.text);
  const paid = async (amount: number) => {
    const debits = await having(-Math.abs(amount));
    return debits.length > 0 || amount < 0 ? debits : await having(amount);
  };
  const [own, exact, with_text] = await Promise.all([
    id === null || kind === null ? null : readOne(visit, 'reconciliation.lines.read', { id }),
    Promise.all([...units.map(paid), reference === null ? [] : list({ reference })]),
    merchants.length === 0 ? [] : list({ text }),
  ]);
  const shown = (one: Results['reconciliation.lines.read'], is_exact: boolean): Found => ({
    kind: 'line',
    id: one.id,
    to: visit.path(one.item_id === null ? bridgeOf(one) : `/lines/${one.id}`),
    name: html`${money(one.amount, one.currency)} ${foreign(one.text)}`,
    facts: [date(one.booking_date), html`account ${one.account_id}`, html`line ${one.id}`],
    is_exact,
  });
  return [
    ...(own === null ? [] : [shown(own, true)]),
    ...exact.flat().map((one) => shown(one, true)),
    ...with_text.map((one) => shown(one, false)),
  ];
}

/** Where a line is shown that is in no item: the bridge of its account on its day. */
function bridgeOf({ account_id, booking_date }: Results['reconciliation.lines.read']): string {
  return `/bridge?${new URLSearchParams({ account: account_id, from: booking_date, to: booking_date })}`;
}

async function findWebhooks({ visit, reading: { id, text } }: Asked): Promise<readonly Found[]> {
  const own = id === null ? null : await readOne(visit, 'webhooks.read', { id });
  // A company has few webhooks.
  const all = id !== null || text.length < 3 ? [] : await pageOf(visit, 'webhooks.states.list', {}, 50);
  return [...(own === null ? [] : [own]), ...all.filter((one) => hasPart(one.callback_url, text))].map((one) => ({
    kind: 'webhook',
    id: one.id,
    to: visit.path(`/webhooks/${one.id}`),
    name: html`Webhook ${one.id}: ${foreign(one.callback_url)}`,
    facts: [one.status],
    is_exact: one.id === id || one.callback_url === text,
  }));
}

async function findImports({ visit, reading: { id, text } }: Asked): Promise<readonly Found[]> {
  const [own, named] = await Promise.all([
    id === null ? null : readOne(visit, 'operator.imports.read', { id }),
    text.length < 5 ? [] : pageOf(visit, 'operator.imports.list', { name_prefix: text }),
  ]);
  return [...(own === null ? [] : [own]), ...named].map((one) => ({
    kind: 'import',
    id: one.id,
    to: visit.rootPath(`/imports/${one.id}`),
    name: foreign(one.name),
    facts: [one.status, instant(one.started_at), html`import ${one.id}`],
    is_exact: one.id === id || one.name === text,
  }));
}

async function findConsents({ visit, reading: { reference } }: Asked): Promise<readonly Found[]> {
  if (reference === null || !/^[\w-]{8,128}$/.test(reference)) return [];
  const one = await readOne(visit, 'bank.consents.read', { consent_id: reference });
  if (one === null) return [];
  const to = visit.rootPath(`/consents/${encodeURIComponent(one.id)}`);
  const facts = [one.status, one.access, html`user ${foreign(one.user_id)}`];
  return [{ kind: 'consent', id: one.id, to, name: html`Consent ${one.id}`, facts, is_exact: true }];
}

type Lists = {
  [Id in keyof Results]: Results[Id] extends { readonly items: readonly unknown[] } ? Id : never;
}[keyof Results];

type Item<Id extends Lists> = Results[Id]['items'][number];

/** The first items that meet a filter. None where the person may not ask, or the value cannot be one. */
async function pageOf<Id extends Lists>(visit: Visit, id: Id, filter: object, count = limit) {
  const page = await allowed(visit, id, () => visit.call(id, { options: { filter, limit: count } }));
  return (page?.items ?? []) as Results[Id]['items'];
}

/** What has an amount: where a merchant was typed beside it, of the newest those with this name. */
async function ofAmount<Id extends Lists>(
  visit: Visit,
  { at }: Reading,
  id: Id,
  filter: object,
  nameOf: (one: Item<Id>) => string | null | undefined,
): Promise<readonly Item<Id>[]> {
  const found: readonly Item<Id>[] = await pageOf(visit, id, filter, at === null ? limit : looked_back);
  return at === null ? found : found.filter((one) => hasPart(nameOf(one) ?? '', at)).slice(0, limit);
}

function readOne<Id extends keyof Results>(
  visit: Visit,
  id: Id,
  parameters: NonNullable<VisitCall['parameters']>,
): Promise<Results[Id] | null> {
  return allowed(visit, id, () => visit.call(id, { parameters }));
}

async function allowed<Result>(visit: Visit, id: keyof Results, ask: () => Promise<Result>): Promise<Result | null> {
  if (!visit.may(id)) return null;
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Refusal && (error.code === 'not_found' || error.code === 'invalid_query')) return null;
    throw error;
  }
}

function hasPart(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

/** A few values of the metadata, as they were given. */
function metadataText(metadata: Readonly<Record<string, unknown>> | null): Content {
  const shown = Object.entries(metadata ?? {})
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, 3)
    .map(([name, value]) => `${name}: ${String(value).slice(0, 60)}`);
  return shown.length === 0 ? '' : foreign(shown.join(', '));
}
