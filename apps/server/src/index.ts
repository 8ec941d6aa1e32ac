export { version } from 'tallystick/inversify';
export {
  type AdminServices,
  type Command,
  call,
  idOf,
  type ParsedWords,
  readChoice,
  readItems,
  readOptionalId,
  requireOption,
  UsageError,
} from './admin/command.ts';
export {
  type CommandOutput,
  MissingDatabase,
  type Program,
  requireDatabase,
  runProgram,
} from './admin/command-line.ts';
export { apiReferencePages } from './api-reference/pages.ts';
export { type Config, ConfigError, readConfig } from './configuration/config.ts';
export { readProfile, UnusableFormats } from './configuration/formats.ts';
export { closeContainer, createContainer, tokens } from './container.ts';
export { parseOptions } from './parse-options.ts';
export { describeDatabase, describeStartProblem, showDatabase } from './start-problem.ts';
export { onStopSignal } from './stop-signal.ts';
export { type Column, formatList, formatTable, formatTerms, shortenText, wrapText } from './terminal-text.ts';
