import type { Operation } from '@tallystick/operations';
import * as z from 'zod';
import { docComment, type Types } from './declarations.ts';

/** The names and descriptions of groups of methods, by their paths. */
export type GroupNames = Readonly<Record<string, readonly [name: string, about: string]>>;

/** The methods and groups of a group, as the members of its interface. */
interface Group {
  readonly members: Map<string, string>;
}

/** Declares the methods of operations, as one interface for each group of `Operation.method`. */
export function declareMethods(operations: readonly Operation[], names: GroupNames, types: Types): string {
  const groups = new Map<string, Group>();
  const groupAt = (path: string): Group => {
    const known = groups.get(path);
    if (known !== undefined) return known;
    const group = { members: new Map<string, string>() };
    groups.set(path, group);
    const { parent, name } = divide(path);
    if (parent !== '') groupAt(parent).members.set(name, `readonly ${name}: ${nameOf(names, path)[0]};`);
    return group;
  };
  for (const operation of operations) {
    const { parent, name } = divide(operation.method);
    groupAt(parent).members.set(name, `${commentOf(operation)}${name}${signatureOf(operation, types)};`);
  }
  const paths = Object.keys(names).filter((path) => groups.has(path));
  const declared = paths.map((path) => {
    const [name, about] = nameOf(names, path);
    const { members } = groupAt(path);
    return `${docComment(about)}export interface ${name} {\n${[...members.values()].join('\n')}\n}\n`;
  });
  return declared.join('\n');
}

/** Declares what each operation results in when it is called in process, by its id. */
export function declareResults(operations: readonly Operation[], types: Types): string {
  const members = operations.map((operation) => `readonly '${operation.id}': ${outcomeOf(operation, types)};`);
  return `/** What each operation results in, by its id. */\nexport interface Results {\n${members.join('\n')}\n}`;
}

function outcomeOf({ answers_pending, ...operation }: Operation, types: Types): string {
  if (answers_pending !== undefined) {
    return `${outcomeOf(operation as Operation, types)} | ${types.typeOf(answers_pending, 'output')}`;
  }
  const { answer, answers_file, query } = operation;
  if (answers_file !== undefined) return 'ResultFile';
  if (answer === null) return 'undefined';
  return query?.paged && answer instanceof z.ZodArray
    ? `Page<${types.typeOf(answer.element as z.ZodType, 'output')}>`
    : types.typeOf(answer, 'output');
}

function divide(path: string): { readonly parent: string; readonly name: string } {
  const at = path.lastIndexOf('.');
  return { parent: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) };
}

function nameOf(names: GroupNames, path: string): GroupNames[string] {
  const found = names[path];
  if (found === undefined) throw new TypeError(`the group of methods ${path} has no name`);
  return found;
}

function commentOf({ summary, description, runs_alone }: Operation): string {
  return docComment(summary, description, runs_alone && `Takes no \`tx\`, because ${runs_alone}`);
}

/** The parameters, then the resource or the file, then the options; and the result. */
function signatureOf(operation: Operation, types: Types): string {
  const { parameters = [], body, documented_body = body, data_is_optional } = operation;
  const given = [
    ...parameters.map((name) => `${name}: ${text_parameters.has(name) ? 'string' : 'Id'}`),
    ...(documented_body === undefined
      ? []
      : [`data${data_is_optional ? '?' : ''}: ${types.typeOf(resourceOf(documented_body), 'input')}`]),
    ...('receive' in operation ? ['file: FileContent'] : []),
    optionsOf(operation, types),
  ];
  return `(${given.join(', ')}): ${resultOf(operation, types)}`;
}

/** Parameters that are texts and no numbers of ours. */
const text_parameters: ReadonlySet<string> = new Set(['number', 'consent_id', 'consultation_id', 'user_id']);

function resultOf(operation: Operation, types: Types): string {
  const { answer, answers_file, answers_pending, query } = operation;
  if (answers_file !== undefined) return 'AsyncIterable<string>';
  if (answers_pending !== undefined) return `Promise<${outcomeOf(operation, types)}>`;
  if (answer === null) return 'Promise<void>';
  const paged = query?.paged && answer instanceof z.ZodArray;
  return paged
    ? `List<${types.typeOf(answer.element as z.ZodType, 'output')}>`
    : `Promise<${types.typeOf(answer, 'output')}>`;
}

function optionsOf(
  { query = {}, body, documented_body = body, answers_early, runs_alone }: Operation,
  types: Types,
): string {
  const { filter, flags = {}, texts, paged } = query;
  const own = z.object({
    ...(filter === undefined || isOptional(filter) ? {} : { filter }),
    ...Object.fromEntries(
      Object.entries(flags).map(([name, meaning]) => [name, z.boolean().optional().describe(meaning)]),
    ),
    ...texts?.shape,
    ...(documented_body instanceof z.ZodObject ? documented_body.omit({ data: true }).shape : {}),
    ...(answers_early
      ? { respond_async: z.boolean().optional().describe('True: resolves before the work has ended') }
      : {}),
  });
  const type = [
    runs_alone === undefined ? 'TransactionOptions' : 'CallOptions',
    ...(paged ? ['PageOptions'] : []),
    ...(filter !== undefined && isOptional(filter) ? [`FilterOptions<${types.typeOf(filter, 'filter')}>`] : []),
    ...(Object.keys(own.shape).length === 0 ? [] : [types.typeOf(own, 'input')]),
  ];
  return `options${isOptional(own) ? '?' : ''}: ${type.join(' & ')}`;
}

/** The resource that a body has as its `data`. */
export function resourceOf(body: z.ZodType): z.ZodType {
  const whole = body instanceof z.ZodUnion ? body.options[0] : body;
  if (whole instanceof z.ZodObject) return whole.shape.data as z.ZodType;
  throw new TypeError('a body has no data');
}

function isOptional(schema: z.ZodObject): boolean {
  return schema.safeParse({}).success;
}
