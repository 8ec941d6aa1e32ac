/**
 * `npm run model`: compares the service with the reference model over any number of random
 * sequences.
 */

import { writeFile } from 'node:fs/promises';
import { checkModel, fault_names } from '@tallystick/harness';
import { parseOptions } from '../../apps/server/src/parse-options.ts';
import { oneOf, wholeNumber } from '../runner/option-values.ts';
import { repeatOn, serviceOn, storage_names } from './service.ts';

const usage =
  'npm run model -- [--runs N] [--seed S] [--database memory|sqlite|postgres] [--commands N] [--faults] [--path P --replay-path R] [--reproduction FILE]';
const values = readOptions();
if (values.help) {
  console.log(usage);
  process.exit(0);
}

const service = await serviceOn(values.database);
try {
  const result = await checkModel({
    system: service.system,
    runs: values.runs,
    commands_max: values.commands,
    faults: values.faults ? fault_names : [],
    ...(values.seed === undefined ? {} : { seed: values.seed }),
    ...(values.path === undefined ? {} : { path: values.path }),
    ...(values['replay-path'] === undefined ? {} : { replay_path: values['replay-path'] }),
    writeReproduction: async (text) => {
      if (values.reproduction !== undefined) await writeFile(values.reproduction, text);
    },
    repeat: repeatOn(values.database, { commands_max: values.commands, has_faults: values.faults }),
  });
  console.log(result.report ?? `the service and the model agree over ${result.runs} sequences (seed ${result.seed})`);
  process.exitCode = result.failed ? 1 : 0;
} finally {
  await service.close();
}

function readOptions() {
  try {
    const { values } = parseOptions({
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
    });
    return {
      ...values,
      database: oneOf('--database', values.database, storage_names),
      runs: wholeNumber('--runs', values.runs, 1),
      commands: wholeNumber('--commands', values.commands, 1),
      seed: values.seed === undefined ? undefined : wholeNumber('--seed', values.seed, Number.MIN_SAFE_INTEGER),
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
