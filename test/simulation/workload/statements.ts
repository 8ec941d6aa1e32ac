import { statement_formats } from '@tallystick/statement-files';
import { exchange } from '../exchange.ts';
import type { BankAccount } from '../outside/bank.ts';
import type { World } from '../world.ts';
import type { Activity } from './activity.ts';
import { actOnImport, deliver } from './files.ts';

const day_ms = 86_400_000;

function today(world: World): string {
  return new Date(world.time.now_ms).toISOString().slice(0, 10);
}

/** The accounts with something to state. Of one day there is one statement. */
function statable(world: World): readonly BankAccount[] {
  return world.bank.accounts.filter(({ booked, last_as_of }) => booked.length > 0 && last_as_of < today(world));
}

export const statements: readonly Activity[] = [
  {
    name: 'account opened',
    weight: 3,
    isPossible: ({ bank }) => bank.accounts.some(({ is_opened }) => !is_opened),
    run: openAccount,
  },
  {
    name: 'bank statement',
    weight: 6,
    isPossible: (world) => statable(world).length > 0,
    run: sendStatements,
  },
];

async function openAccount(world: World): Promise<void> {
  const account = world.random.pick(world.bank.accounts.filter(({ is_opened }) => !is_opened));
  const { number, company_id, currency } = account;
  const input = { company_id, number, currency, kind: 'deposit' as const };
  const opened = await exchange(world, {
    operation: 'other',
    company_id: null,
    input,
    perform: (tally, options) => tally.bank.accounts.create(input, options),
  });
  // Statements were held until now.
  world.time.stayFor(15_000);
  account.is_opened ||= opened?.kind === 'done' || (opened?.kind === 'refused' && opened.code === 'conflict');
}

/** The bank writes the statements of a day, of one account or of several. */
async function sendStatements(world: World): Promise<void> {
  const { random, bank } = world;
  const format = random.pick(statement_formats);
  const as_of = today(world);
  const found = statable(world);
  const accounts = random.happens(0.5) ? found : [random.pick(found)];
  const written = accounts.map((account) => bank.state(account, as_of));
  for (const { head, lines } of written) {
    const { account_number, opening_balance, closing_balance } = head;
    world.history.bank_statements.push({ account_number, as_of, opening_balance, closing_balance, lines });
  }
  const sequence = bank.nextFile();
  const variant = format.variants && random.pick(format.variants);
  const bytes = Buffer.concat([
    ...format.writeStatements!({ sequence, created_on: as_of, statements: written }, variant),
  ]);
  const name = `statements-${sequence}.${format.name}`;
  const sent = await deliver(world, { name, format: format.name, transaction_ids: [], bytes });
  // Most are applied by themselves, once what they wait for is there.
  while (sent !== null && sent.status !== 'completed' && random.happens(0.3)) {
    if (!(await world.pauseUntilQuiet(random.wait(day_ms)))) return;
    await actOnImport(world, sent.id, random.happens(0.9) ? 'replay' : 'release');
  }
}
