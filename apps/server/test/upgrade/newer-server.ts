/**
 * The server of a later version: the same code with more migrations. Started by
 * rolling-upgrade.test.ts, with the number of the version as its argument.
 */
import { migration, migrations, type SchemaMigration } from '@tallystick/mikro-orm';
import { readConfig } from '../../src/configuration/config.ts';
import { createContainer, tokens } from '../../src/container.ts';
import { greeting } from '../../src/greeting.ts';
import { createServer } from '../../src/server.ts';
import { describeStartProblem } from '../../src/start-problem.ts';
import { onStopSignal } from '../../src/stop-signal.ts';

/** The migrations that each version adds. Version 1 has the columns that version 3 removes. */
const added: readonly (readonly SchemaMigration[])[] = [
  [
    {
      kind: 'expand',
      name: '9001-old-notes',
      class: migration(() => [
        'alter table tallystick_authorizations add column old_note text',
        'alter table tallystick_virtual_cards add column old_note text',
      ]),
    },
  ],
  [
    {
      kind: 'expand',
      name: '9002-new-notes',
      class: migration(() => [
        `alter table tallystick_authorizations add column new_note bigint not null default 7`,
        `alter table tallystick_virtual_cards add column new_note bigint not null default 7`,
        `alter table tallystick_events add column new_note bigint not null default 7`,
        'create table notes (id bigint primary key, text text)',
        'create index authorizations_new_note on tallystick_authorizations (new_note)',
      ]),
    },
  ],
  [
    {
      kind: 'contract',
      name: '9003-no-old-notes',
      class: migration(() => [
        'alter table tallystick_authorizations drop column old_note',
        'alter table tallystick_virtual_cards drop column old_note',
      ]),
    },
  ],
];

const version = Number(process.argv[2]);
const config = readConfig(process.env);
const container = createContainer(config);
await container.unbindAsync(tokens.migrations);
container.bind(tokens.migrations).toConstantValue([...migrations, ...added.slice(0, version).flat()]);
const server = createServer(config, container);
onStopSignal(() => {
  server.stop().then(
    () => process.exit(0),
    (error: Error) => {
      console.error(error.message);
      process.exit(1);
    },
  );
});
try {
  const { url } = await server.start();
  console.log(greeting(config, url));
} catch (error) {
  console.error(describeStartProblem(error, config));
  process.exit(1);
}
