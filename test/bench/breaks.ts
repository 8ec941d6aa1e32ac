import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createNetwork } from '@tallystick/cards';
import { type DatabaseName, filledDatabase } from './filled-database.ts';
import type { Bench, BenchOptions } from './main.ts';
import { percentile, type Row, row } from './measure.ts';
import { no_codes, plain_quarantine, purchases, random } from './messages.ts';

const full_size = 100_000;
const cards = 1_000;

/** Callers that decide beside the work, one message after the other. */
const callers = 4;

/** How long a caller pauses after each decision, milliseconds. */
const pause_ms = 20;

/** How long decisions alone are measured before each part, milliseconds. */
const alone_ms = 5_000;

/** Work on 100,000 breaks in a second process, and what decisions wait meanwhile. */
export const breaks: Bench = {
  name: 'breaks',
  async run(options) {
    const rows = await besideBreaks('sqlite', options);
    return options.postgres ? [...rows, ...(await besideBreaks('postgres', options))] : rows;
  },
};

interface Figures {
  readonly ms: number;
  readonly cpu_ms: number;
  /** The most processor time of one turn of the event loop. */
  readonly turn_ms: number;
  /** The most processor time of a transaction that writes. */
  readonly longest_ms: number;
  readonly rss_mb: number;
  readonly said: string;
}

type Message = { readonly next: string } | { readonly end: string; readonly figures: Figures };

async function besideBreaks(name: DatabaseName, { quick, growth_scale, log }: BenchOptions): Promise<readonly Row[]> {
  const count = Math.max(1_000, Math.round(full_size * (growth_scale ?? 1)));
  log(`filling ${name} with ${count} breaks`);
  const database = await filledDatabase(name, { cards, authorizations: 0, events: 0 });
  const { ledger } = database.persistence;
  const network = createNetwork({ ledger, vault: no_codes, random, ...plain_quarantine });
  let times: number[] = [];
  let is_over = false;
  const decideOn = async () => {
    while (!is_over) {
      const [message] = purchases(1, cards);
      const began_ms = performance.now();
      await network.authorize(message!);
      times.push(performance.now() - began_ms);
      await new Promise((resolve) => setTimeout(resolve, pause_ms));
    }
  };
  try {
    for (const sql of breaksSql(name, count)) await database.execute(sql);
    await database.settle();
    const deciding = Promise.all(Array.from({ length: callers }, decideOn));
    const rows: Row[] = [];
    let alone_us = 0;
    const child = fork(fileURLToPath(new URL('breaks-child.ts', import.meta.url)), [database.database_url, `${count}`]);
    child.on('message', (message: Message) => {
      if ('next' in message) {
        times = [];
        log(`${message.next}, ${name}`);
        setTimeout(
          () => {
            alone_us = percentile(times, 0.99) * 1_000;
            times = [];
            child.send('begin');
          },
          quick ? 300 : alone_ms,
        );
        return;
      }
      const { ms, cpu_ms, turn_ms, longest_ms, rss_mb, said } = message.figures;
      const beside_us = percentile(times.length > 0 ? times : [ms], 0.99) * 1_000;
      // The whole takes long at its full size.
      log(`  ${Math.round(beside_us)} µs, alone ${Math.round(alone_us)} µs`);
      rows.push(
        row(
          `99 of 100 decisions beside ${message.end}, ${name}`,
          'µs',
          {
            ours: beside_us,
            baseline: alone_us,
            baseline_name: 'alone',
          },
          null,
          `${said}; ${Math.round(ms)} ms, ${Math.round(cpu_ms)} ms of processor time, longest turn ${Math.round(turn_ms)} ms, longest transaction ${Math.round(longest_ms)} ms, ${rss_mb} MB; slowest of ${times.length} decisions ${Math.round(Math.max(0, ...times))} ms`,
        ),
      );
    });
    const [code] = await new Promise<[number | null]>((resolve) => child.once('exit', (exit) => resolve([exit])));
    is_over = true;
    await deciding;
    if (code !== 0) throw new Error(`the work on breaks ended with ${code}`);
    return rows;
  } finally {
    is_over = true;
    await network.drain();
    await database.dispose();
  }
}

/**
 * One in five each: a clearing without authorization, one over, one without a line, one that is
 * suspected, and a line without a clearing: of the one without a line, booked 4 days later.
 */
export function breaksSql(name: DatabaseName, count: number, of_cards = cards): readonly string[] {
  const is_sqlite = name === 'sqlite';
  const no = is_sqlite ? '0' : 'false';
  const series = is_sqlite
    ? `(with recursive s(i) as (select 1 union all select i + 1 from s where i < ${count}) select i from s)`
    : `generate_series(1, ${count}) s(i)`;
  const dateOf = (of: string) =>
    is_sqlite
      ? `date('2026-03-01', '+' || ((${of}) % 60) || ' days')`
      : `to_char(date '2026-03-01' + ((${of}) % 60)::int, 'YYYY-MM-DD')`;
  const padded = is_sqlite ? `printf('%011d', i)` : `lpad(i::text, 11, '0')`;
  const reference = `'74321066061' || ${padded} || '5'`;
  const amountOf = (of: string) => `100 + (${of}) * 7919 % 100003`;
  return [
    `insert into tallystick_accounts (id, company_id, number, currency, kind, created_at_ms, first_statement_as_of,
        first_statement_balance, last_statement_as_of, last_statement_balance)
      values (1, 1, '1000000001', 'USD', 'card', 0, '2020-09-01', 0, '2020-09-01', 0)`,
    `insert into tallystick_clearings (id, company_id, card_id, network_financial_transaction_id, cycle, clearing_type,
        partial, billing_amount, billing_currency, acquirer_reference_data, settlement_date, recorded_at_ms,
        event_id, authorization_id, match_rule, review, class, window_start_ms, cleared_effect, hold_effect, uses, details)
      select i, 1, 1 + i % ${of_cards}, 'OLD' || i, 'first_presentment', 'DEBIT', ${no}, ${amountOf('i')}, 'USD', ${reference},
        ${dateOf('i')}, 1600000000000 + i, i, null, 8, ${no},
        case i % 5 when 0 then 'force_post' when 1 then 'over' when 2 then 'exact' else 'suspected_duplicate' end,
        0, 0, 0, 0, '{}'
      from ${series} where i % 5 <> 4`,
    `insert into tallystick_statement_lines (id, account_id, company_id, currency, occurrence, bank_reference,
        booking_date, value_date, amount, bai_code, text, acquirer_reference, recorded_at_ms)
      select i, 1, 1, 'USD', 1, 'B' || i, ${dateOf('i + case i % 5 when 4 then 2 else 0 end')},
        ${dateOf('i + case i % 5 when 4 then 2 else 0 end')}, -(${amountOf('i - case i % 5 when 4 then 2 else 0 end')}), '824',
        'MERCHANT', case i % 5 when 4 then null else ${reference} end, 1600000000000 + i
      from ${series} where i % 5 in (0, 4)`,
  ];
}
