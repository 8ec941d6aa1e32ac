import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { composeCardMessage } from '../../src/mailing/card-message.ts';
import { cardWorld } from '../card-world.ts';

describe('the mail about a card', () => {
  test('shows limits with the decimals of the minor unit in ISO 4217', async () => {
    const { card } = await cardWorld().issue({ total_card_amount: 123_456_789 });
    const limits = { USD: 'USD 1,234,567.89', HUF: 'HUF 1,234,567.89', JPY: 'JPY 123,456,789', KWD: 'KWD 123,456.789' };
    for (const [billing_currency, limit] of Object.entries(limits)) {
      const { text } = composeCardMessage(
        { ...card, currency: null, billing_currency },
        { to: 'ann@example.com', link: 'https://example.com/', link_expires_at_ms: 0, number: null },
      );
      assert.ok(text.includes(`Limit: ${limit}\n`), text);
    }
  });
});
