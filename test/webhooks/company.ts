import assert from 'node:assert/strict';
import { type Reply, send } from '@tallystick/test-support';

/** A webhook as its owner has it, secret included. */
export interface OwnWebhook {
  readonly id: string;
  readonly callback_url: string;
  readonly secret: string;
  readonly event_type_ids: readonly number[];
}

/** An attempt as the service shows it. */
export interface ShownAttempt {
  readonly number: number;
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
}

/** A delivery as the service shows it. */
export interface ShownDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly sequence: number;
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly next_attempt_at: string | null;
  readonly attempts: readonly ShownAttempt[];
}

type Data = Readonly<Record<string, unknown>>;

/** A company with a separate client key and a real card. */
export class Company {
  readonly id: number;
  readonly #url: string;
  readonly #key: string;

  private constructor(url: string, id: number, key: string) {
    this.#url = url;
    this.id = id;
    this.#key = key;
  }

  static async found(url: string, name: string): Promise<Company> {
    const made = async (path: string, data: Data) => dataOf(await operator(url, path, data));
    const { id } = await made('/operator/v1/companies', { name, customer_number: name });
    const company_id = Number(id);
    await made('/operator/v1/realcards', {
      company_id,
      alias: name,
      billing_currency: 'USD',
      account_range: String(54_000_000 + company_id),
    });
    const { key } = await made('/operator/v1/keys', { role: 'client', name, company_id });
    return new Company(url, company_id, key as string);
  }

  /** The same company, through another process. */
  at(url: string): Company {
    return new Company(url, this.id, this.#key);
  }

  /** Sends a request as the company's client. */
  send(method: string, path: string, data?: Data, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    const body = data === undefined ? {} : { body: { data } };
    return send(this.#url, method, path, { key: this.#key, headers, ...body });
  }

  /** Sends a request that must succeed, and returns its data. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
  async ask(method: string, path: string, data?: Data): Promise<any> {
    return dataOf(await this.send(method, path, data));
  }

  /** Registers a webhook for the URL, for all events unless `data` says otherwise. */
  async registers(callback_url: string, data: Data = {}): Promise<OwnWebhook> {
    return await this.ask('POST', '/v1/webhooks', { callback_url, event_type_ids: [1], ...data });
  }

  /** Submits an event of another system; returns the event's id. */
  async hears(payload: Data, event_type = 'ach.status', previous: Data | null = null): Promise<string> {
    const event = { company_id: this.id, event_type, payload, previous };
    return dataOf(await operator(this.#url, '/operator/v1/events', event)).id as string;
  }

  /** Returns all deliveries of the webhook, oldest first. */
  async deliveries({ id }: Pick<OwnWebhook, 'id'>): Promise<readonly ShownDelivery[]> {
    const all: ShownDelivery[] = [];
    let next: string | null = `/v1/webhooks/${id}/deliveries?page[limit]=100`;
    while (next !== null) {
      const page: Reply = await this.send('GET', next);
      assert.equal(page.status, 200, page.text);
      all.push(...page.json.data);
      next = page.json.links.next;
    }
    return all.toReversed();
  }
}

/**
 * Moves the clock, which is frozen from then on, and waits for the due work. Without a move it
 * waits for the work that is due now. On a slow machine it repeats the request as often as needed.
 * Returns the instant that the clock shows.
 */
export async function moveClock(url: string, move: Data = { advance: 'PT0S' }): Promise<string> {
  const { now, waiting } = dataOf(await operator(url, '/sandbox/v1/clock', { frozen: true, ...move }));
  return waiting === undefined ? now : await moveClock(url);
}

function operator(url: string, path: string, data: Data): Promise<Reply> {
  return send(url, 'POST', path, { key: 'operator', body: { data } });
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
function dataOf(reply: Reply): any {
  assert.ok(reply.status === 200 || reply.status === 204, reply.text);
  return reply.json?.data;
}
