import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '@tallystick/test-support';
import { type BrowsedConsole, browseConsole } from './browse.ts';

interface Listening {
  readonly status: number;
  /** The ids of new events by name, as they came. */
  readonly heard: Map<string, number[]>;
  isOver(): boolean;
  leave(): void;
}

describe('an open page of the console', () => {
  let world: BrowsedConsole;
  let card_id: number;
  before(async () => {
    world = await browseConsole();
    await world.tally.start();
    const card = await world.tally.company(1).cards.issue({ total_card_amount: 900_000 });
    card_id = Number(card.id);
    world.as('anna', { role: 'viewer', company_id: null });
    world.as('otto', { role: 'viewer', company_id: null });
  });
  after(() => world?.[Symbol.asyncDispose]());

  async function listen(person: string, company_id = 1, after = ''): Promise<Listening> {
    const leaving = new AbortController();
    const response = await fetch(`${world.url}/companies/${company_id}/live${after}`, {
      headers: { 'x-person': person },
      signal: leaving.signal,
      redirect: 'manual',
    });
    const heard = new Map<string, number[]>();
    let is_over = response.body === null;
    const read = async (): Promise<void> => {
      let text = '';
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const [, data] = /\nevent: news\ndata: (.+)$/.exec(text.slice(0, end)) ?? [];
          text = text.slice(end + 2);
          const news = JSON.parse(data ?? '{}') as Record<string, number[]>;
          for (const [name, ids] of Object.entries(news)) heard.set(name, [...(heard.get(name) ?? []), ...ids]);
        }
      }
    };
    if (response.body !== null) {
      void read()
        .catch(() => undefined)
        .finally(() => {
          is_over = true;
        });
    }
    return { status: response.status, heard, isOver: () => is_over, leave: () => leaving.abort() };
  }

  const buy = () => world.tally.company(1).sandbox.buy({ vcn_id: card_id, amount: 100, merchant_name: 'Corner' });

  it('hears what is new in its company, and nothing of another', async () => {
    const { id } = await world.tally.operator.companies.create({ name: 'B', customer_number: 'B' });
    const { items: before } = await world.tally.company(1).events.list();
    const [own, other] = [await listen('anna'), await listen('anna', Number(id))];
    assert.equal(own.status, 200);
    const bought = [await buy(), await buy()];
    await world.tally.company(1).sandbox.clear(bought[0]!.id!, { amount: 100 });
    const { items } = await world.tally.company(1).events.list();
    const ids = items.slice(0, items.length - before.length).map((event) => Number(event.id));
    await until(() => own.heard.get('event')?.length === ids.length);
    assert.deepEqual(own.heard.get('event'), ids.toReversed());
    assert.deepEqual(own.heard.get(`card-${card_id}`), ids.toReversed());
    assert.deepEqual([...other.heard.keys()], []);
    const back = await listen('anna', 1, `?after=${ids[1]!}`);
    await until(() => back.heard.size > 0);
    assert.deepEqual(back.heard.get('event'), [ids[0]], 'what was missed');
    for (const { leave } of [own, other, back]) leave();
  });

  it('is one of a few of its person, and gives the place back when it is left', async () => {
    const open: Listening[] = [];
    for (let count = 0; count < 6; count += 1) open.push(await listen('otto'));
    assert.deepEqual(
      open.map(({ status }) => status),
      Array.from(open, () => 200),
    );
    assert.equal((await listen('otto')).status, 204);
    const other = await listen('anna');
    assert.equal(other.status, 200, 'of another person');
    open[0]!.leave();
    let again: Listening | undefined;
    await until(async () => {
      again = await listen('otto');
      return again.status === 200;
    });
    for (const { leave } of [...open, other, again!]) leave();
  });

  it('hears nothing of a company that its person may not see', async () => {
    world.as('bea', { role: 'viewer', company_id: 2 });
    assert.equal((await listen('bea')).status, 403);
    assert.equal((await listen('nobody')).status, 403);
  });

  it('ends when the process stops', async () => {
    const own = await listen('anna');
    assert.equal(own.isOver(), false);
    await world.tally.close();
    await until(own.isOver);
  });
});
