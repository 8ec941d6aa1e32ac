import { type Backtest, createBacktest, readBacktest, runBacktests } from '@tallystick/cards';
import { machine_timers, Refusal } from '@tallystick/kernel';
import { presentBacktest } from '@tallystick/operations';
import { formatList } from '../terminal-text.ts';
import { type AdminServices, type Command, call, idOf, readOptionalId, requireOptions, UsageError } from './command.ts';

/** How often the command looks at a backtest that a server runs. */
const look_every_ms = 500;

const bar_width = 30;

export const backtest_command: Command = {
  name: 'backtest',
  summary: 'Decides recorded messages again with changed controls, and shows what would have been otherwise',
  options: {
    company: 'the company',
    changes: 'the changed controls, as the API takes them: {"total_card_amount":40000}',
    card: 'only this virtual card; all cards of the company when absent',
    from: 'from when the changed controls apply: a date (UTC) or an instant; the beginning when absent',
    to: 'up to when decisions are compared; now when absent',
  },
  flags: { 'fail-on-difference': 'Ends with status 1 when a message would have been decided otherwise' },
  async run(services, given) {
    const { company, changes } = requireOptions(given, 'company', 'changes');
    const company_id = idOf('--company', company);
    const vcn_id = readOptionalId(given, 'card');
    const asked = { vcn_id, changes: readJson(changes), from: given.values.get('from'), to: given.values.get('to') };
    const { unitOfWork } = await services.persistence();
    const { id } = await unitOfWork.run(async (tx) => {
      if ((await tx.companies.find(company_id)) === null) {
        throw new Refusal('not_found', `there is no company ${company_id}`);
      }
      return await createBacktest(tx, { ...call(services), company_id }, asked);
    });
    const done = await runToItsEnd(services, company_id, id);
    const is_otherwise = given.flags.has('fail-on-difference') && done.differences > 0;
    const status = done.status !== 'completed' || is_otherwise ? 1 : 0;
    return { data: presentBacktest(done), text: describe(done), status };
  },
};

/** Runs the backtest, or waits while a server does. */
async function runToItsEnd(services: AdminServices, company_id: number, id: number): Promise<Backtest> {
  const { unitOfWork, giveWay } = await services.persistence();
  const report = (state: Backtest) => services.reportProgress(() => barOf(state));
  const ports = { unitOfWork, giveWay, clock: services.clock(), machine_clock: machine_timers };
  for (;;) {
    await runBacktests({ ...ports, random: services.vault().random }, { id, onSaved: report });
    const state = await unitOfWork.read((tx) => readBacktest(tx, { company_id }, id));
    if (state.finished_at_ms !== null) return state;
    report(state);
    await machine_timers.pause(look_every_ms);
  }
}

/** How far a backtest is, as a line: `[######......] 50 %, 5 of 10 cards, ...`. */
function barOf({ cards_done, cards_total, messages, card_messages, differences }: Backtest): string {
  const share = cards_total === 0 ? 1 : cards_done / cards_total;
  const filled = Math.round(share * bar_width);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(bar_width - filled)}]`;
  const cards = `${figure(cards_done)} of ${figure(cards_total)} cards`;
  return `${bar} ${Math.floor(share * 100)} %, ${cards}, ${figure(messages + card_messages)} records, ${figure(differences)} differences`;
}

function describe(done: Backtest): string {
  if (done.status !== 'completed') return `Backtest ${done.id} is ${done.status}: ${done.error}.`;
  const found = formatList(
    'No message would have been decided otherwise.',
    ['kind', 'recorded', 'replayed', 'currency', 'messages', 'amount'],
    done.sums.map(({ kind, recorded, replayed, currency, count, amount }) => {
      return [kind, recorded, replayed, currency, figure(count), figure(amount)];
    }),
  );
  return `${barOf(done)}\n${found}\nThe messages: GET /v1/backtests/${done.id}/differences`;
}

function figure(count: number): string {
  return count.toLocaleString('en-US');
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--changes is "${text}"; it must be a JSON object, such as {"total_card_amount":40000}`);
  }
}
