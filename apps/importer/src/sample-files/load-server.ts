import { type Role, sandbox_keys } from '@tallystick/access';
import type { IssuedCard } from '@tallystick/samples';
import { clearingsSentBefore, isAnsweredAsExpected, type Loading, machineDay, sendAll } from './loading.ts';

const at_once = 32;

/** An answer may wait until a busy server has made a pass. */
const answer_ms_max = 60_000;

type Json = Readonly<Record<string, unknown>>;

/** Loads sets over HTTP into the sandbox at `url`, with its fixed keys. */
export function loadOverHttp(url: string): Loading {
  const post = async (role: Role, path: string, body: Json): Promise<Json> => {
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
    async send(set, cardOf, onSent) {
      const authorizations = await sendAll(
        set.authorizations(cardOf),
        at_once,
        async (message) => {
          const { response_code } = await post('network', '/network/v1/authorizations', { data: message });
          if (isAnsweredAsExpected(message, String(response_code))) return;
          throw new Error(`authorization ${message.trace_id} was answered with ${response_code}`);
        },
        onSent,
      );
      const clearings = await sendAll(
        clearingsSentBefore(set, cardOf),
        at_once,
        async (message) => {
          await post('network', '/network/v1/clearings', { data: message });
        },
        (sent) => onSent(authorizations + sent),
      );
      return { authorizations, clearings };
    },
    close: async () => undefined,
  };
}
