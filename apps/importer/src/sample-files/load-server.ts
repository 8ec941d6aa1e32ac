import { type Role, sandbox_keys } from '@tallystick/access';
import { abortAfter, machine_timers } from '@tallystick/kernel';
import type { IssuedCard } from '@tallystick/samples';
import { type Loading, machineDay } from './loading.ts';

/** An answer may wait until a busy server has made a pass. */
const answer_ms_max = 60_000;

/** How often a request is repeated that a busy server refused, each time after its `Retry-After`. */
const repeats_max = 120;

type Json = Readonly<Record<string, unknown>>;

/** Loads sets over HTTP into the sandbox at `url`, with its fixed keys. */
export function loadOverHttp(url: string): Loading {
  const send = async (role: Role, path: string, body: object | string, headers: Readonly<Record<string, string>>) => {
    try {
      return await fetch(new URL(path, url), {
        method: 'POST',
        headers: { authorization: `Bearer ${sandbox_keys[role]}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        signal: abortAfter(machine_timers, answer_ms_max),
      });
    } catch (error) {
      throw new Error(`no answer from ${url}: ${(error as Error).message}`);
    }
  };
  const post = async (
    role: Role,
    path: string,
    body: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Json> => {
    for (let repeats = 0; ; repeats += 1) {
      const answer = await send(role, path, body, headers);
      const text = await answer.text();
      if (answer.ok) return (JSON.parse(text) as { readonly data: Json }).data;
      const is_busy = answer.status === 503 || answer.status === 429;
      if (!is_busy || repeats === repeats_max) throw new Error(`POST ${path} answered ${answer.status}: ${text}`);
      await machine_timers.pause(1_000 * Number(answer.headers.get('retry-after') ?? 1));
    }
  };
  return {
    // The clock of the server is not known here. If it was moved, --date has to name its day.
    day: async (wanted) => wanted ?? machineDay(),
    moveClock: async (data) => String((await post('operator', '/sandbox/v1/clock', { data })).now),
    async reportRecords(records) {
      const body = records.map((record) => `${JSON.stringify(record)}\n`).join('');
      const { rejected } = await post('bank', '/bank/v1/records', body, { 'content-type': 'application/x-ndjson' });
      return { rejected: Number(rejected) };
    },
    async createCards(set, onCreated) {
      const cards: IssuedCard[] = [];
      const { seed } = set.options;
      for (const data of set.cards()) {
        // The same set sent again goes on with the cards that it created.
        const key = { 'idempotency-key': `sample-files-${seed}-${cards.length + 1}` };
        const body = { data, show_card_number: true };
        const { id, card_number } = await post('client', '/v1/virtualcards', body, key);
        cards.push({ vcn_id: Number(id), card_number: String(card_number) });
        onCreated(cards.length);
      }
      return (card) => cards[card] as IssuedCard;
    },
    at_once: 32,
    authorize: async (data) => String((await post('network', '/network/v1/authorizations', { data })).response_code),
    clear: async (data) => void (await post('network', '/network/v1/clearings', { data })),
    close: async () => undefined,
  };
}
