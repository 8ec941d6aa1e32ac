import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '@tallystick/koa';
import { accountRangeJob } from '../../src/background/account-ranges.ts';

test('an account range of which 90 % is used is warned of once, and measured', async () => {
  const metrics = createMetrics({ process_metrics: false });
  const warnings: unknown[] = [];
  let cards = 899;
  const usage = async () => [{ id: 7, company_id: 3, account_range: '545454545454', cards }];
  const persistence = {
    unitOfWork: { read: (work: (tx: never) => unknown) => work({ real_cards: { usage } } as never) },
  } as never;
  const job = accountRangeJob(persistence, metrics, { warn: (...words: unknown[]) => void warnings.push(words) });
  const ratio = async () =>
    /^tallystick_account_range_used_ratio\{rcn_id="7"\} (\S+)$/m.exec(await metrics.read())?.[1];
  await job.run();
  assert.deepEqual([await ratio(), warnings], ['0.899', []]);
  cards = 900;
  await job.run();
  await job.run();
  const counts = { rcn_id: 7, company_id: 3, cards: 900, numbers: 1_000 };
  assert.deepEqual(
    [await ratio(), warnings],
    ['0.9', [[counts, 'the account range of a real card is nearly used up']]],
  );
});

test('the cards of all real cards in an account range count', async () => {
  const metrics = createMetrics({ process_metrics: false });
  const usage = async () => [
    { id: 7, company_id: 3, account_range: '545454545454', cards: 450 },
    { id: 8, company_id: 4, account_range: '545454545454', cards: 450 },
    { id: 9, company_id: 4, account_range: '54545454545', cards: 100 },
  ];
  const persistence = {
    unitOfWork: { read: (work: (tx: never) => unknown) => work({ real_cards: { usage } } as never) },
  } as never;
  const warned: number[] = [];
  const warn = ({ rcn_id }: { rcn_id: number }) => void warned.push(rcn_id);
  await accountRangeJob(persistence, metrics, { warn } as never).run();
  const ratios = (await metrics.read()).matchAll(/^tallystick_account_range_used_ratio\{rcn_id="\d"\} (\S+)$/gm);
  assert.deepEqual(
    [[...ratios].map(([, ratio]) => ratio), warned],
    [
      ['0.9', '0.9', '0.1'],
      [7, 8],
    ],
  );
});
