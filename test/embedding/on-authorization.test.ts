import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ConsultationContent, createTallystick, type Tallystick, type WrittenAnswer } from 'tallystick';

describe('onAuthorization', () => {
  let tally: Tallystick;
  let card: { readonly id: string };
  let asked: ConsultationContent[] = [];
  let onAuthorization: (consultation: ConsultationContent, signal: AbortSignal) => Promise<WrittenAnswer>;
  const buy = async (amount: number) =>
    (await tally.company(1).sandbox.buy({ vcn_id: card.id, amount })).decline_reason;
  const newest = async () => (await tally.company(1).decisionEndpoint.consultations.list()).items[0]?.concluded;

  before(async () => {
    tally = await createTallystick({
      sandbox: true,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      onAuthorization: (consultation, signal) => {
        asked.push(consultation);
        return onAuthorization(consultation, signal);
      },
      authorization_timeout_ms: 200,
      // One question at a time.
      requests_max: 2,
      authorization_stand_in: [{ if: { amount_max: 100 }, decision: 'approve' }],
    });
    await tally.migrate();
    card = await tally.company(1).cards.issue({ total_card_amount: 100_000 });
  });
  after(() => tally.close());

  it('approves and declines every request that the card would approve', async () => {
    asked = [];
    onAuthorization = async ({ amount }) => ({ decision: amount <= 1_000 ? 'approve' : 'decline' });
    assert.equal(await buy(1_000), null);
    assert.equal(await buy(1_001), 'P');
    assert.equal(await buy(100_001), 'E');
    assert.deepEqual(
      asked.map(({ amount, company_id, type }) => [amount, company_id, type]),
      [
        [1_000, 1, 'virtualcard.decision.requested'],
        [1_001, 1, 'virtualcard.decision.requested'],
      ],
    );
  });

  it('would be asked, as a tried decision says', async () => {
    asked = [];
    const cards = tally.company(1).cards;
    const [passes, fails] = [
      await cards.tryDecision(card.id, { amount: 1 }),
      await cards.tryDecision(card.id, { amount: 100_001 }),
    ];
    assert.deepEqual([passes.client, fails.client, asked.length], ['would_be_asked', 'not_asked', 0]);
    assert.equal(passes.table.find(({ code }) => code === 'P')?.result, 'unknown');
  });

  it('has its rules stand in when it rejects, returns nothing, or takes too long', async () => {
    const failing: Readonly<Record<string, typeof onAuthorization>> = {
      unreachable: async () => {
        throw new Error('planted');
      },
      garbage: async () => undefined as never,
      timeout: () => new Promise(() => {}),
    };
    for (const [outcome, does] of Object.entries(failing)) {
      onAuthorization = does;
      assert.equal(await buy(100), null, outcome);
      assert.deepEqual([(await newest())?.outcome, (await newest())?.stood_in], [outcome, '1']);
      assert.equal(await buy(101), 'P', outcome);
      assert.deepEqual([(await newest())?.outcome, (await newest())?.stood_in], [outcome, 'default']);
    }
  });

  it('is not to blame for a decline about which it was not asked, because too many questions waited', async () => {
    onAuthorization = () => new Promise(() => {});
    const company = tally.company(1);
    const bought = await Promise.all([1, 2, 3].map(() => company.sandbox.buy({ vcn_id: card.id, amount: 500 })));
    const explained = await Promise.all(bought.map(({ id }) => company.cards.explainDecision(card.id, id!)));
    assert.deepEqual(explained.map(({ blocked_by, client }) => `${client?.concluded?.outcome}: ${blocked_by}`).sort(), [
      'busy: fault',
      'timeout: company_endpoint',
      'timeout: company_endpoint',
    ]);
  });

  it('is refused with values that it cannot have', async () => {
    await assert.rejects(
      createTallystick({
        sandbox: true,
        onAuthorization: 'approve' as never,
        authorization_timeout_ms: 199,
        authorization_stand_in: [
          { if: { mccs: ['1'] }, decision: 'approve' },
          { if: { mcc: ['5411'] } as object, decision: 'approve' },
        ],
      }),
      /onAuthorization must be a function; authorization_timeout_ms must be a whole number from 200 to 2000, not 199; authorization_stand_in\[0\]\.if\.mccs must contain.*; authorization_stand_in\[1\]\.if\.mcc is unknown; did you mean mccs\?/,
    );
    await assert.rejects(
      createTallystick({ sandbox: true, authorization_timeout_ms: 500, authorization_stand_in: [] }),
      /authorization_timeout_ms has no effect without onAuthorization; authorization_stand_in has no effect without/,
    );
  });
});
