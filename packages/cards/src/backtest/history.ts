import type { Authorization } from '../records/authorization.ts';
import type { CardAct } from '../records/card-act.ts';
import type { Clearing } from '../records/clearing.ts';

/** Where the next page of the records of a card begins: after this id. */
export interface HistoryPlace {
  readonly card_id: number;
  /** The id of an authorization or a clearing; of an act that of its event. */
  readonly after_id: number;
}

/**
 * Reads what is recorded of cards, in pages, without a lock: of each place up to `limit` rows of its
 * card, by rising id. Reduced records are included.
 */
export interface HistoryReads {
  authorizationsAfter(places: readonly HistoryPlace[], limit: number): Promise<readonly Authorization[]>;
  clearingsAfter(places: readonly HistoryPlace[], limit: number): Promise<readonly Clearing[]>;
  actsAfter(places: readonly HistoryPlace[], limit: number): Promise<readonly CardAct[]>;
}

/** Something that happened to a card. */
export type Happening =
  | { readonly kind: 'authorization'; readonly event_id: number; readonly at_ms: number; readonly row: Authorization }
  | { readonly kind: 'clearing'; readonly event_id: number; readonly at_ms: number; readonly row: Clearing }
  | { readonly kind: 'act'; readonly event_id: number; readonly at_ms: number; readonly row: CardAct };

/** What is recorded of a card. */
export interface History {
  readonly card_id: number;
  /** All acts. Only a few records of a card are acts. */
  readonly acts: readonly CardAct[];
  /** Everything in its order, read in pages while it is consumed; once. */
  happenings(): AsyncGenerator<Happening, void, undefined>;
}

/** How many rows one read returns. */
const page_max = 500;

/** The histories of cards, one after another. The first pages of all are read together. */
export async function* historiesOf(
  reads: HistoryReads,
  card_ids: readonly number[],
): AsyncGenerator<History, void, undefined> {
  const limit = Math.ceil(page_max / card_ids.length);
  const places = card_ids.map((card_id) => ({ card_id, after_id: 0 }));
  const authorizations = byCard(await reads.authorizationsAfter(places, limit));
  const clearings = byCard(await reads.clearingsAfter(places, limit));
  const acts = byCard(await reads.actsAfter(places, limit));
  for (const card_id of card_ids) {
    const its_acts = await allOf(feed(card_id, reads.actsAfter, eventIdOf, { rows: acts.get(card_id), limit }));
    yield {
      card_id,
      acts: its_acts,
      happenings: () =>
        inOrder(
          feed(card_id, reads.authorizationsAfter, idOf, { rows: authorizations.get(card_id), limit }),
          feed(card_id, reads.clearingsAfter, idOf, { rows: clearings.get(card_id), limit }),
          its_acts,
        ),
    };
  }
}

async function* inOrder(
  authorizations: Feed<Authorization>,
  clearings: Feed<Clearing>,
  acts: readonly CardAct[],
): AsyncGenerator<Happening, void, undefined> {
  for (let acts_done = 0; ; ) {
    const [authorization, clearing, act] = [await authorizations.first(), await clearings.first(), acts[acts_done]];
    const event_id = Math.min(eventIdOf(authorization), eventIdOf(clearing), eventIdOf(act));
    if (event_id === Number.POSITIVE_INFINITY) return;
    if (authorization?.event_id === event_id) {
      authorizations.take();
      yield { kind: 'authorization', event_id, at_ms: authorization.decided_at_ms, row: authorization };
    } else if (clearing?.event_id === event_id) {
      clearings.take();
      yield { kind: 'clearing', event_id, at_ms: clearing.recorded_at_ms, row: clearing };
    } else {
      acts_done += 1;
      yield { kind: 'act', event_id, at_ms: act!.at_ms, row: act! };
    }
  }
}

function idOf({ id }: { readonly id: number }): number {
  return id;
}

function eventIdOf(row: { readonly event_id: number } | undefined): number {
  return row?.event_id ?? Number.POSITIVE_INFINITY;
}

function byCard<Row extends { readonly card_id: number }>(rows: readonly Row[]): Map<number, Row[]> {
  return Map.groupBy(rows, ({ card_id }) => card_id);
}

interface Feed<Row> {
  /** The first row that was not taken; undefined after the last one. */
  first(): Promise<Row | undefined> | Row | undefined;
  take(): void;
}

function feed<Row>(
  card_id: number,
  read: (places: readonly HistoryPlace[], limit: number) => Promise<readonly Row[]>,
  placeOf: (row: Row) => number,
  known: { readonly rows: readonly Row[] | undefined; readonly limit: number },
): Feed<Row> {
  let rows = known.rows ?? [];
  let at = 0;
  let is_last = rows.length < known.limit;
  async function readNext(): Promise<Row | undefined> {
    rows = await read([{ card_id, after_id: placeOf(rows.at(-1)!) }], page_max);
    at = 0;
    is_last = rows.length < page_max;
    return rows[0];
  }
  return {
    first: () => (at === rows.length && !is_last ? readNext() : rows[at]),
    take() {
      at += 1;
    },
  };
}

async function allOf<Row>(rows: Feed<Row>): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (let row = await rows.first(); row !== undefined; row = await rows.first()) {
    all.push(row);
    rows.take();
  }
  return all;
}
