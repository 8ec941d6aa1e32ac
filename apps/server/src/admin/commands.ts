import { resetCodeFailures } from '@tallystick/cards';
import { presentCodeFailures, presentTemplate, templateStatusPath } from '@tallystick/operations';
import { completeTemplate } from '@tallystick/templates';
import { showDatabase } from '../start-problem.ts';
import { account_commands } from './accounts.ts';
import { api_key_commands } from './api-keys.ts';
import { audit_commands } from './audit.ts';
import { audit_chain_commands } from './audit-chain.ts';
import { backtest_command } from './backtest.ts';
import { type Command, call, idOf } from './command.ts';
import { company_commands } from './companies.ts';
import { key_ring_commands } from './key-ring.ts';
import { person_commands } from './people.ts';
import { quarantine_commands } from './quarantine.ts';
import { retention_command } from './retention.ts';
import { third_party_commands } from './third-parties.ts';

const migrate: Command = {
  name: 'migrate',
  summary: 'Migrates the database; the server does the same when it starts',
  may_create_database: true,
  async run(services) {
    // Opening it migrates it.
    await services.persistence();
    const database = showDatabase(services.config().database_url);
    return { data: { database, migrated: true }, text: `${database} has the schema of this version.` };
  },
};

const template_complete: Command = {
  name: 'template complete',
  argument: 'id',
  summary: 'Completes a PENDING purchase template immediately',
  async run(services, given) {
    const id = idOf('<id>', given.argument);
    const { unitOfWork } = await services.persistence();
    const template = await unitOfWork.run((tx) =>
      completeTemplate(tx, { statusUrlOf: templateStatusPath }, call(services), id),
    );
    return { data: presentTemplate(template), text: `Template ${template.id} is ${template.status}.` };
  },
};

const card_reset_code_failures: Command = {
  name: 'card reset-code-failures',
  argument: 'id',
  summary: 'Forgets the wrong codes of a card, so that its code counts again before the UTC day is over',
  async run(services, given) {
    const id = idOf('<id>', given.argument);
    const { unitOfWork } = await services.persistence();
    const { card, forgotten } = await unitOfWork.run((tx) => resetCodeFailures(tx, call(services), id));
    const named = `${id} (${card.last4})`;
    const text =
      forgotten === 0 ? `Card ${named} has no wrong codes today.` : `The wrong codes of card ${named} are forgotten.`;
    return { data: presentCodeFailures(card), text };
  },
};

/** Every command of `npm run admin`, in the order in which its help lists them. */
export const commands: readonly Command[] = [
  migrate,
  ...company_commands,
  ...account_commands,
  ...api_key_commands,
  ...person_commands,
  ...third_party_commands,
  template_complete,
  card_reset_code_failures,
  backtest_command,
  ...quarantine_commands,
  ...audit_commands,
  ...audit_chain_commands,
  retention_command,
  ...key_ring_commands,
];
