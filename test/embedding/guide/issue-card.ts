// issue-card.ts
import { isFault, isRefusal } from 'tallystick';
import { tally } from './tally.ts';

export async function issueCard(company_id: string, total_card_amount: number): Promise<string> {
  try {
    return (await tally.company(company_id).cards.issue({ total_card_amount })).id;
  } catch (error) {
    if (isRefusal(error, 'account_range_used_up')) return 'the real card has no free number';
    if (isRefusal(error)) return error.message;
    if (isFault(error)) return 'try again later';
    throw error;
  }
}
