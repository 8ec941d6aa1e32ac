/**
 * `npm run model`: compares the service with the reference model over any number of random
 * sequences.
 */

import { writeFile } from 'node:fs/promises';
import { checkModel, fault_names } from '@tallystick/harness';
import { parseOptions } from '../../apps/server/src/parse-options.ts';
import { repeatOn, serviceOn } from './service.ts';

const usage =
  'npm run model -- [--runs N] [--seed S] [--database memory|sqlite|postgres] [--commands N] [--faults] [--path P --replay-path R] [--reproduction FILE]';
const values = readOptions();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
if (values.database !== 'memory' && values.database !== 'sqlite' && values.database !== 'postgres') {
  throw new TypeError(`--database ${values.database}: it must be memory, sqlite or postgres`);
}

const service = await serviceOn(values.database);
try {
  const result = await checkModel({
    system: service.system,
    runs: integer('runs', values.runs),
    commands_max: integer('commands', values.commands),
    faults: values.faults ? fault_names : [],
    ...(values.seed === undefined ? {} : { seed: integer('seed', values.seed) }),
    ...(values.path === undefined ? {} : { path: values.path }),
    ...(values['replay-path'] === undefined ? {} : { replay_path: values['replay-path'] }),
    writeReproduction: async (text) => {
      if (values.reproduction !== undefined) await writeFile(values.reproduction, text);
    },
    repeat: repeatOn(values.database, {
      commands_max: integer('commands', values.commands),
      has_faults: values.faults,
    }),
  });
  console.log(result.report ?? `the service and the model agree over ${result.runs} sequences (seed ${result.seed})`);
  process.exitCode = result.failed ? 1 : 0;
} finally {
  await service.close();
}

function integer(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new TypeError(`--${name} ${text}: it must be a whole number`);
  return value;
}

function readOptions() {
  try {
    return parseOptions({
      options: {
        runs: { type: 'string', default: '1000' },
        seed: { type: 'string' },
        database: { type: 'string', default: 'sqlite' },
        commands: { type: 'string', default: '30' },
        faults: { type: 'boolean', default: false },
        path: { type: 'string' },
        'replay-path': { type: 'string' },
        reproduction: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
