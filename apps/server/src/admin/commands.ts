import { presentTemplate, templateStatusPath } from '@tallystick/koa';
import { completeTemplate } from '@tallystick/templates';
import { showDatabase } from '../start-problem.ts';
import { api_key_commands } from './api-keys.ts';
import { type Command, idOf } from './command.ts';
import { company_commands } from './companies.ts';
import { key_ring_commands } from './key-ring.ts';

const migrate: Command = {
  name: 'migrate',
  summary: 'Migrates the database; the server does the same when it starts',
  options: {},
  flags: {},
  async run(services) {
    await services.persistence();
    const database = showDatabase(services.config().database_url);
    return { data: { database, migrated: true }, text: `${database} is up to date.` };
  },
};

const template_complete: Command = {
  name: 'template complete',
  argument: 'id',
  summary: 'Completes a PENDING purchase template immediately',
  options: {},
  flags: {},
  async run(services, given) {
    const id = idOf('<id>', given.argument);
    const { unitOfWork } = await services.persistence();
    const now_ms = services.clock().now().epochMilliseconds;
    const template = await unitOfWork.run((tx) =>
      completeTemplate(tx, { statusUrlOf: templateStatusPath }, now_ms, id),
    );
    return { data: presentTemplate(template), text: `Template ${template.id} is ${template.status}.` };
  },
};

/** Every command of `npm run admin`, in the order in which its help lists them. */
export const commands: readonly Command[] = [
  migrate,
  ...company_commands,
  ...api_key_commands,
  template_complete,
  ...key_ring_commands,
];
