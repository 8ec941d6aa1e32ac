import {
  type Backtest,
  backtests_kept_max,
  backtests_max,
  createBacktest,
  deleteBacktest,
  differences_kept_max,
  listBacktests,
  listDifferences,
  message_types,
  type RecordedDifference,
  readBacktest,
} from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { data_of_domain, showAs } from '../fields.ts';
import { companyCall, type Operation, operation, present } from '../operation.ts';
import { backtest, create_backtest, difference } from './shapes.ts';

/** `/v1/backtests`: what other controls would have decided about the recorded messages. */
export function backtestOperations(): readonly Operation[] {
  return [
    operation('virtualcards', {
      id: 'backtests.create',
      summary: 'Decide recorded messages again with changed controls',
      description: `Runs in the background and changes nothing. It replays each card from its beginning, so that windows, holds and clearings follow from the changed controls. What the records do not show stands as it was recorded: a wrong code or expiry, a canceled or frozen card, what the decision endpoint said. Refused (\`conflict\`) while ${backtests_max} backtests of the company wait or run. The newest ${backtests_kept_max} of those that have ended are kept.`,
      body: data_of_domain,
      documented_body: create_backtest,
      answer: backtest,
      refusals: ['conflict', 'not_found'],
      async write(tx, call) {
        return presentBacktest(await createBacktest(tx, companyCall(call), call.body.data));
      },
    }),
    operation('virtualcards', {
      id: 'backtests.list',
      summary: 'List backtests, newest first',
      query: { paged: true },
      answer: z.array(backtest),
      async read(tx, call) {
        return present(await listBacktests(tx, companyCall(call), call.query.page), presentBacktest);
      },
    }),
    operation('virtualcards', {
      id: 'backtests.read',
      summary: 'Read a backtest with its progress and its result',
      parameters: ['id'],
      answer: backtest,
      async read(tx, call) {
        return presentBacktest(await readBacktest(tx, companyCall(call), call.id));
      },
    }),
    operation('virtualcards', {
      id: 'backtests.differences.list',
      method: 'company.backtests.differences',
      summary: 'List the messages that would have been decided otherwise',
      description: `Card by card, in the order of the messages. The first ${differences_kept_max} of a backtest are listed; its result counts all.`,
      parameters: ['id'],
      query: { paged: true },
      answer: z.array(difference),
      async read(tx, call) {
        const page = await listDifferences(tx, companyCall(call), call.id, call.query.page);
        return present(page, presentDifference);
      },
    }),
    operation('virtualcards', {
      id: 'backtests.delete',
      summary: 'Stop a backtest, and delete it with its result',
      parameters: ['id'],
      answer: null,
      async write(tx, call) {
        await deleteBacktest(tx, companyCall(call), call.id);
      },
    }),
  ];
}

export function presentBacktest(one: Backtest) {
  const { cards_done, cards_total, from_ms, finished_at_ms } = one;
  return showAs(backtest, {
    ...one,
    id: String(one.id),
    changes: one.change,
    from: from_ms === 0 ? null : toInstantText(from_ms),
    to: toInstantText(one.to_ms),
    progress: { cards_done, cards_total, messages: one.messages + one.card_messages },
    result: one.sums,
    created_at: toInstantText(one.created_at_ms),
    finished_at: finished_at_ms === null ? null : toInstantText(finished_at_ms),
    type: 'backtest',
    url: `/v1/backtests/${one.id}`,
  });
}

function presentDifference(one: RecordedDifference) {
  return showAs(difference, {
    ...one,
    id: String(one.id),
    vcn_id: one.card_id,
    message_type_indicator: message_types[one.message_type],
    decided_at: toInstantText(one.decided_at_ms),
    type: 'backtestdifference',
    url: `/v1/virtualcards/${one.card_id}/decisions/${one.authorization_id}`,
  });
}
