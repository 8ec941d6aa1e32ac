import {
  type Import,
  type ImportOptions,
  ImportStopped,
  import_statuses,
  inspectImport,
  listImportQuarantine,
  listImportStatements,
  listImports,
  listOtherRecords,
  readImport,
  releaseImport,
  replayImport,
  unknown_format,
} from '@tallystick/imports';
import { maskCardNumbers } from '@tallystick/kernel';
import { presentImport, presentQuarantined, presentStatement } from '@tallystick/operations';
import {
  type Command,
  call,
  formatList,
  idOf,
  type ParsedWords,
  type Program,
  readChoice,
  readItems,
  requireOption,
} from '@tallystick/server';
import { describeImport, describeWork } from './file-report.ts';
import { databaseOption } from './import-words.ts';
import { chooseDisplay, createStopSignal, type ProgressTerminal } from './progress-display.ts';

const looking_commands: readonly Command[] = [
  {
    name: 'list',
    summary: 'Lists the imports, the highest id first',
    options: { status: `only these: ${import_statuses.join(', ')}`, format: 'only files of this format' },
    async run(services, given) {
      const status = readChoice(given, 'status', import_statuses);
      const ports = await services.importPorts();
      const format = readChoice(given, 'format', [...ports.formats.names, unknown_format]);
      const filter = { ...(status === undefined ? {} : { status }), ...(format === undefined ? {} : { format }) };
      const imports = await readItems((page) => ports.unitOfWork.read((tx) => listImports(tx, filter, page)));
      return {
        data: imports.map(presentImport),
        text: formatList(
          status === undefined && format === undefined ? 'There are no imports.' : 'There are no such imports.',
          ['id', 'status', 'format', 'applied', 'duplicates', 'quarantined', 'held', 'breaks', 'started', 'name'],
          imports.map((one) => [
            ...[one.id, one.status, one.format, one.applied, one.duplicates, one.quarantined, one.held, one.breaks],
            ...[presentImport(one).started_at, one.name],
          ]),
        ),
      };
    },
  },
  {
    name: 'show',
    argument: 'id',
    summary: 'Shows an import',
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const { import: found, is_claimed } = await inspectImport(await services.importPorts(), id);
      const { data, text } = show(found, given);
      return { data, text: found.status === 'running' ? `${text}\n  ${describeWork(found, is_claimed)}` : text };
    },
  },
  {
    name: 'quarantine',
    argument: 'id',
    summary: 'Lists the quarantined records of an import, in the order of the file',
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const { unitOfWork } = await services.importPorts();
      const found = await readItems((page) => unitOfWork.read((tx) => listImportQuarantine(tx, id, page)));
      const records = found.toSorted((a, b) => (a.ordinal ?? 0) - (b.ordinal ?? 0));
      return {
        data: records.map(presentQuarantined),
        text: formatList(
          'No record of this import is in quarantine.',
          ['record', 'id', 'byte or line', 'status', 'reason', 'explanation'],
          records.map(({ ordinal, id, position, status, reason, explanation }) => {
            return [ordinal ?? '', id, position ?? '', status, reason, explanation];
          }),
        ),
      };
    },
  },
  {
    name: 'statements',
    argument: 'id',
    summary: 'Lists the statements of a file of statements, and what became of them',
    async run(services, given) {
      const import_id = idOf('<id>', given.argument);
      const { unitOfWork } = await services.importPorts();
      const found = await readItems((page) => unitOfWork.read((tx) => listImportStatements(tx, { import_id }, page)));
      const statements = found.toSorted((a, b) => a.number - b.number);
      return {
        data: statements.map(presentStatement),
        text: formatList(
          'This file has no statements.',
          ['statement', 'account', 'date', 'lines', 'status', 'problem'],
          statements.map(({ number, account_number, as_of, lines, status, problem }) => [
            ...[number, maskCardNumbers(account_number), as_of, lines, status],
            problem === null ? '' : `${problem.code}: ${problem.message}`,
          ]),
        ),
      };
    },
  },
  {
    name: 'others',
    argument: 'id',
    summary: 'Lists the records of an import that are no clearings and are kept, such as fees',
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const ports = await services.importPorts();
      const { format, other_records } = await ports.unitOfWork.read((tx) => readImport(tx, id));
      const records = await listOtherRecords(ports, id);
      const has_some = Object.keys(other_records).length > 0;
      return {
        data: records,
        text: formatList(
          has_some ? `The format ${format} counts other records and keeps none.` : 'This file has no other records.',
          ['record', 'byte or line', 'type', 'begins'],
          records.map(({ ordinal, position, type, excerpt }) => [ordinal, position, type, excerpt]),
        ),
      };
    },
  },
];

const statement_option = { statement: 'the number of one held statement; without it all of them' };

function statementOf({ values }: ParsedWords): number | undefined {
  const number = values.get('statement');
  return number === undefined ? undefined : idOf('--statement', number);
}

const quiet_flag = { quiet: 'no progress on standard error; problems are still written there' };

function actingCommands(terminal: ProgressTerminal): readonly Command[] {
  return [
    {
      name: 'replay',
      argument: 'id',
      summary: 'Tries the quarantined records and held statements of an import again, once the cause is gone',
      options: statement_option,
      flags: quiet_flag,
      async run(services, given) {
        const id = idOf('<id>', given.argument);
        const ports = await services.importPorts();
        const before = await ports.unitOfWork.read((tx) => readImport(tx, id));
        const rest = 'the same command tries the records that are left';
        const after = await withProgress(terminal, given, id, rest, (options) =>
          replayImport(ports, call(services), id, { ...options, statement: statementOf(given) }),
        );
        const { data, text } = show(after, given);
        const left = before.quarantined - after.quarantined;
        const done =
          before.held_statements.length > 0
            ? `${before.held - after.held} of ${before.held} held lines were applied`
            : `${left} of ${before.quarantined} records left the quarantine`;
        return { data, text: `${done}\n${text}` };
      },
    },
    {
      name: 'release',
      argument: 'id',
      summary: 'Applies a held import, or held statements of one',
      options: { note: 'why it may be applied; the audit log keeps it', ...statement_option },
      flags: quiet_flag,
      async run(services, given) {
        const id = idOf('<id>', given.argument);
        const note = requireOption(given, 'note');
        const ports = await services.importPorts();
        const rest = 'a server, or npm run import with the same file, continues it';
        const { import: released } = await withProgress(terminal, given, id, rest, (options) =>
          releaseImport(ports, call(services), id, note, { ...options, statement: statementOf(given) }),
        );
        return show(released, given);
      },
    },
  ];
}

async function withProgress<Result>(
  terminal: ProgressTerminal,
  { flags }: ParsedWords,
  id: number,
  rest: string,
  work: (options: Pick<ImportOptions, 'signal' | 'onProgress'>) => Promise<Result>,
): Promise<Result> {
  const name = `import ${id}`;
  const switches = { quiet: flags.has('quiet'), json: flags.has('json') };
  const display = chooseDisplay(terminal.stderr, name, switches);
  const signal = createStopSignal(terminal);
  try {
    return await work({ signal, onProgress: (progress) => display.show(progress) });
  } catch (error) {
    throw error instanceof ImportStopped ? new Error(`${name}: stopped; ${rest}`) : error;
  } finally {
    display.end();
  }
}

export function createImportsProgram(terminal: ProgressTerminal): Program {
  return {
    invocation: 'npm run imports --',
    commands: [...looking_commands, ...actingCommands(terminal)],
    migrates: false,
    takes_database_url: true,
  };
}

function show(found: Import, { values }: ParsedWords): { readonly data: unknown; readonly text: string } {
  const finished = presentImport(found).finished_at;
  const heading = `import ${found.id}: ${found.name}, ${found.status}`;
  const times = `  started ${presentImport(found).started_at}${finished === null ? '' : `, finished ${finished}`}`;
  const note = found.note === null ? [] : [`  note: ${found.note}`];
  return {
    data: presentImport(found),
    text: [heading, ...describeImport(found, databaseOption(values.get('database-url'))), times, ...note].join('\n'),
  };
}
