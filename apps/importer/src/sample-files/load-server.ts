import { type Role, sandbox_keys } from '@tallystick/access';
import type { IssuedCard } from '@tallystick/samples';
import { type Loading, machineDay } from './loading.ts';

/** An answer may wait until a busy server has made a pass. */
const answer_ms_max = 60_000;

type Json = Readonly<Record<string, unknown>>;

/** Loads sets over HTTP into the sandbox at `url`, with its fixed keys. */
export function loadOverHttp(url: string): Loading {
  const post = async (role: Role, path: string, body: object): Promise<Json> => {
    let answer: Response;
    try {
      answer = await fetch(new URL(path, url), {
        method: 'POST',
        headers: { authorization: `Bearer ${sandbox_keys[role]}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(answer_ms_max),
      });
    } catch (error) {
      throw new Error(`no answer from ${url}: ${(error as Error).message}`);
    }
    const text = await answer.text();
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${text}`);
    return (JSON.parse(text) as { readonly data: Json }).data;
  };
  return {
    // The clock of the server is not known here. If it was moved, --date has to name its day.
    day: async (wanted) => wanted ?? machineDay(),
    async createCards(set, onCreated) {
      const cards: IssuedCard[] = [];
      for (const data of set.cards()) {
        const { id, card_number } = await post('client', '/v1/virtualcards', { data, show_card_number: true });
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
