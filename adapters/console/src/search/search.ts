/**
 * Looks for what a person typed. Each kind of thing asks a few lists for a few items, by filters
 * that have an index or look at a bounded number of rows, and only what the person may call.
 */
import { decimalsOf, Refusal } from '@tallystick/kernel';
import type { Results } from '@tallystick/operations';
import { type Content, html } from '../look/html.ts';
import { date, foreign, instant, money } from '../look/values.ts';
import { titleOf } from '../pages/card-words.ts';
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
  const { items: real_cards } = await visit.call('realCards.list', { options: { limit } });
  const units = amountsOf(reading, real_cards);
  const found = await Promise.all(
    searches.map(async ({ operations, of_kinds }) => {
      const finds = of_kinds.filter(([kind]) => (reading.kind ?? kind) === kind);
      if (finds.length === 0) return [];
      return await visit.together(operations, async (read) => {
        let recorded: Promise<Recorded> | undefined;
        const asked: Asked = {
          visit,
          read,
          reading,
          units,
          real_cards,
          recorded() {
            recorded ??= findRecorded(asked);
            return recorded;
          },
        };
        return (await Promise.all(finds.map(([, find]) => find(asked)))).flat();
      });
    }),
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
  readonly read: Visit['call'];
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

interface Search {
  /** Those that it calls, in one transaction. */
  readonly operations: readonly (keyof Results)[];
  readonly of_kinds: readonly (readonly [Kind, (asked: Asked) => Promise<readonly Found[]>])[];
}

/** A list that is found by an index sets how its transaction is planned: it is with its like. */
const searches: readonly Search[] = [
  { operations: ['virtualCards.list'], of_kinds: [['card', findCards]] },
  {
    operations: [
      'virtualCards.read',
      'webhooks.read',
      'webhooks.states.list',
      'operator.imports.read',
      'operator.imports.list',
      'bank.consents.read',
      'bank.users.read',
    ],
    of_kinds: [
      ['card', findCard],
      ['webhook', findWebhooks],
      ['import', findImports],
      ['consent', findConsents],
    ],
  },
  {
    operations: ['authorizations.read', 'authorizations.list', 'clearings.list', 'events.list'],
    of_kinds: [
      ['authorization', findAuthorizations],
      ['clearing', findClearings],
    ],
  },
  {
    operations: [
      'reconciliation.items.read',
      'reconciliation.items.list',
      'reconciliation.lines.read',
      'reconciliation.lines.list',
    ],
    of_kinds: [
      ['item', findItems],
      ['line', findLines],
    ],
  },
];

async function findCard(asked: Asked): Promise<readonly Found[]> {
  const { id } = asked.reading;
  const own = id === null ? null : await readOne(asked, 'virtualCards.read', { id });
  return own === null ? [] : [shownCard(asked, own, true)];
}

async function findCards(asked: Asked): Promise<readonly Found[]> {
  const { reading, real_cards } = asked;
  const { last4, metadata, text } = reading;
  const list = (filter: object) => pageOf(asked, 'virtualCards.list', filter);
  const of_alias = real_cards.filter(({ rcn_alias }) => hasPart(rcn_alias, text)).slice(0, 3);
  const [exact, ...of_aliases] = await Promise.all([
    Promise.all([
      last4 === null ? [] : list({ last4 }),
      metadata === null ? [] : list({ [`metadata.${metadata.name}`]: metadata.value }),
      list({ metadata_value: text }),
    ]),
    ...of_alias.map(({ rcn_id }) => list({ rcn_id })),
  ]);
  return [
    ...exact.flat().map((card) => shownCard(asked, card, true)),
    ...of_aliases.flat().map((card) => shownCard(asked, card, false)),
  ];
}

function shownCard({ visit }: Asked, card: Results['virtualCards.read'], is_exact: boolean): Found {
  return {
    kind: 'card',
    id: card.id,
    to: visit.path(`/cards/${card.id}`),
    name: titleOf(card),
    facts: [foreign(card.rcn_alias), card.frozen ? 'Frozen' : card.status, metadataText(card.metadata)],
    is_exact,
  };
}

async function findAuthorizations(asked: Asked): Promise<readonly Found[]> {
  const { visit, reading, units, recorded } = asked;
  const { id, text, declined } = reading;
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
  const [own, { authorizations }, declines, of_amount, begun] = await Promise.all([
    id === null ? null : readOne(asked, 'authorizations.read', { authorization_id: id }),
    recorded(),
    declined === null
      ? []
      : pageOf(
          asked,
          'authorizations.list',
          declined === 'any' ? { status: 'declined' } : { decline_reason: declined },
        ),
    // Of cards in the merchant's currency these are the same.
    Promise.all(
      units
        .filter((amount) => amount >= 0)
        .map((merchant_amount) =>
          ofAmount(asked, 'authorizations.list', { merchant_amount }, ({ merchant_name }) => merchant_name),
        ),
    ),
    merchantsWith(asked, reading),
  ]);
  return [
    ...(own === null ? [] : [shown(own, true)]),
    ...[...authorizations, ...declines, ...of_amount.flat()].map((one) => shown(one, true)),
    ...begun.map((one) => shown(one, one.merchant_name === text)),
  ];
}

/** The authorizations of merchants whose name begins with the text; else the newest with it in their name. */
async function merchantsWith(asked: Asked, { text, merchants }: Reading) {
  if (merchants.length === 0) return [];
  const begun = await Promise.all(
    merchants.map((merchant_name_prefix) => pageOf(asked, 'authorizations.list', { merchant_name_prefix })),
  );
  if (begun.flat().length > 0) return begun.flat();
  const newest = await pageOf(asked, 'authorizations.list', {}, looked_back);
  return newest.filter(({ merchant_name }) => hasPart(merchant_name ?? '', text)).slice(0, limit);
}

type Authorization = Results['authorizations.read'];
type Clearing = Results['clearings.list']['items'][number];

interface Recorded {
  readonly authorizations: readonly Authorization[];
  readonly clearings: readonly Clearing[];
}

/** Authorizations and clearings by their events: one look into the index of events finds both. */
async function findRecorded(asked: Asked): Promise<Recorded> {
  const { reading, units } = asked;
  const { approval_code, reference } = reading;
  const list = (filter: object) => pageOf(asked, 'events.list', filter);
  const payloads = await Promise.all([
    ...units
      .filter((amount) => amount >= 0)
      .map((amount) =>
        ofAmount(asked, 'events.list', { 'payload.billing_amount': amount }, (one) =>
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
async function findClearings(asked: Asked): Promise<readonly Found[]> {
  const { visit, reading, recorded } = asked;
  const { id, reference } = reading;
  const list = (filter: object) => pageOf(asked, 'clearings.list', filter);
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
async function findItems(asked: Asked): Promise<readonly Found[]> {
  const { visit, reading, units } = asked;
  const { id, kind, reference, merchants, text } = reading;
  const list = (filter: object) => pageOf(asked, 'reconciliation.items.list', filter);
  const [own, ...found] = await Promise.all([
    id === null || kind === null ? null : readOne(asked, 'reconciliation.items.read', { id }),
    ...units.map((amount) =>
      ofAmount(asked, 'reconciliation.items.list', { amount, status: 'break' }, (one) =>
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
async function findLines(asked: Asked): Promise<readonly Found[]> {
  const { visit, reading, units } = asked;
  const { id, kind, reference, merchants, text } = reading;
  const list = (filter: object) => pageOf(asked, 'reconciliation.lines.list', filter);
  const having = (amount: number) => ofAmount(asked, 'reconciliation.lines.list', { amount }, (one) => one.text);
  const paid = async (amount: number) => {
    const debits = await having(-Math.abs(amount));
    return debits.length > 0 || amount < 0 ? debits : await having(amount);
  };
  const [own, exact, with_text] = await Promise.all([
    id === null || kind === null ? null : readOne(asked, 'reconciliation.lines.read', { id }),
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

async function findWebhooks(asked: Asked): Promise<readonly Found[]> {
  const {
    visit,
    reading: { id, text },
  } = asked;
  const own = id === null ? null : await readOne(asked, 'webhooks.read', { id });
  // A company has few webhooks.
  const all = id !== null || text.length < 3 ? [] : await pageOf(asked, 'webhooks.states.list', {}, 50);
  return [...(own === null ? [] : [own]), ...all.filter((one) => hasPart(one.callback_url, text))].map((one) => ({
    kind: 'webhook',
    id: one.id,
    to: visit.path(`/webhooks/${one.id}`),
    name: html`Webhook ${one.id}: ${foreign(one.callback_url)}`,
    facts: [one.status],
    is_exact: one.id === id || one.callback_url === text,
  }));
}

async function findImports(asked: Asked): Promise<readonly Found[]> {
  const {
    visit,
    reading: { id, text },
  } = asked;
  const [own, named] = await Promise.all([
    id === null ? null : readOne(asked, 'operator.imports.read', { id }),
    text.length < 5 ? [] : pageOf(asked, 'operator.imports.list', { name_prefix: text }),
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

/** A consent, or a user of the bank with all consents. */
async function findConsents(asked: Asked): Promise<readonly Found[]> {
  const { visit, reading } = asked;
  const { reference, text } = reading;
  const [one, user] = await Promise.all([
    /^[\w-]{8,128}$/.test(reference ?? '') ? readOne(asked, 'bank.consents.read', { consent_id: reference! }) : null,
    /^[\w.-]{1,64}$/.test(text) ? readOne(asked, 'bank.users.read', { user_id: text }) : null,
  ]);
  const found: Found[] = [];
  if (one !== null) {
    const to = visit.rootPath(`/consents/${encodeURIComponent(one.id)}`);
    const facts = [one.status, one.access, html`user ${foreign(one.user_id)}`];
    found.push({ kind: 'consent', id: one.id, to, name: html`Consent ${one.id}`, facts, is_exact: true });
  }
  if (user !== null) {
    const to = visit.rootPath(`/consents?user_id=${encodeURIComponent(user.id)}`);
    const name = html`Consents of ${user.id}`;
    found.push({ kind: 'consent', id: user.id, to, name, facts: [foreign(user.name)], is_exact: true });
  }
  return found;
}

type Lists = {
  [Id in keyof Results]: Results[Id] extends { readonly items: readonly unknown[] } ? Id : never;
}[keyof Results];

type Item<Id extends Lists> = Results[Id]['items'][number];

/** The first items that meet a filter. None where the person may not ask, or the value cannot be one. */
async function pageOf<Id extends Lists>({ visit, read }: Asked, id: Id, filter: object, count = limit) {
  const page = await allowed(visit, id, () => read(id, { options: { filter, limit: count } }));
  return (page?.items ?? []) as Results[Id]['items'];
}

/** What has an amount: where a merchant was typed beside it, of the newest those with this name. */
async function ofAmount<Id extends Lists>(
  asked: Asked,
  id: Id,
  filter: object,
  nameOf: (one: Item<Id>) => string | null | undefined,
): Promise<readonly Item<Id>[]> {
  const { at } = asked.reading;
  const found: readonly Item<Id>[] = await pageOf(asked, id, filter, at === null ? limit : looked_back);
  return at === null ? found : found.filter((one) => hasPart(nameOf(one) ?? '', at)).slice(0, limit);
}

function readOne<Id extends keyof Results>(
  { visit, read }: Asked,
  id: Id,
  parameters: NonNullable<VisitCall['parameters']>,
): Promise<Results[Id] | null> {
  return allowed(visit, id, () => read(id, { parameters }));
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
