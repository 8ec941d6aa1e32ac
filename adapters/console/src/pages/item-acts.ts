import { invalid, Refusal } from '@tallystick/kernel';
import type { Results } from '@tallystick/operations';
import { readWithCell } from '@tallystick/reconciliation';
import { textOf } from '../form.ts';
import type { Visit } from '../visit.ts';
import { handleOf } from './item-words.ts';

/** What a button of a form does with an item: `accept:12:3`, `match:12:3:line:408`, `unmatch:12:3:statement`. */
interface Asked {
  readonly action: string;
  readonly id: string;
  readonly version: number;
  readonly rest: string;
}

/** What a person does to an item. */
export const acts = ['match', 'unmatch', 'ignore', 'accept', 'confirm', 'reopen'] as const;

type ActKind = (typeof acts)[number];

/** The value of a button that acts on an item as the page shows it. */
export function actValue(action: ActKind, item: { readonly id: string; readonly version: number }, rest = ''): string {
  return `${action}:${item.id}:${item.version}${rest === '' ? '' : `:${rest}`}`;
}

/** Does what the pressed button of a form asks for. Returns what was done, for the next page. */
export async function doAct(visit: Visit, form: FormData): Promise<string> {
  const asked = askedBy(textOf(form, 'do'));
  const ticked = form.getAll('item').map((value) => askedBy(`ticked:${String(value)}`));
  if (asked.action === 'assign') return await assign(visit, form, asked.id === '' ? ticked : [asked]);
  const action = acts.find((one) => one === asked.action);
  if (action === undefined) throw new Refusal('validation_failed', 'press one of the buttons of the page');
  if (asked.id === '') return await decideTicked(visit, form, action, ticked);
  const note = textOf(form, 'note') || undefined;
  const accept_difference = action === 'match' && form.get('accept_difference') !== null;
  const result = (await visit.call(`reconciliation.items.${action}`, {
    parameters: { id: asked.id },
    data: {
      note,
      reason: textOf(form, 'reason') || (accept_difference ? note : null),
      version: asked.version,
      ...(action === 'match' ? { with: matchedBy(form, asked), accept_difference } : {}),
      ...(action === 'unmatch' && asked.rest !== '' ? { side: asked.rest } : {}),
    },
  })) as Results['reconciliation.items.accept'];
  return result.type === 'reconciliation_approval'
    ? `A second person has to approve it first: approval ${result.id}.`
    : `Item ${result.id} is ${result.status} now.`;
}

/** What a match names, of the button or else of the field. */
function matchedBy(form: FormData, { rest }: Asked) {
  const named = readWithCell(rest === '' ? textOf(form, 'with') : rest, null);
  if (typeof named === 'string') throw invalid({ path: 'with', message: named });
  const { authorization_id, clearing_ids, line_ids } = named.with;
  return {
    ...(authorization_id === null ? {} : { authorization_id }),
    ...(clearing_ids.length === 0 ? {} : { clearing_ids }),
    ...(line_ids.length === 0 ? {} : { line_ids }),
  };
}

function askedBy(text: string): Asked {
  const [action = '', id = '', version = '', ...rest] = text.split(':');
  return { action, id, version: Number(version), rest: rest.join(':') };
}

/** All of them with one note, or none: they are a table of decisions. */
async function decideTicked(visit: Visit, form: FormData, action: ActKind, ticked: readonly Asked[]): Promise<string> {
  if (ticked.length === 0) throw new Refusal('validation_failed', 'tick the items first');
  const note = textOf(form, 'note');
  if (note === '') throw invalid({ path: 'note', message: 'is required' });
  const rows = ticked.map(({ id, version }) => `${id},${version},${action},"${note.replaceAll('"', '""')}"\n`);
  const file = new TextEncoder().encode(`id,version,decision,note\n${rows.join('')}`);
  const answer = visit.call('reconciliation.decisions.create', { file });
  return answerWords(await answer.catch(namingRows((row) => `Item ${ticked[row - 2]?.id}`)));
}

/** Refuses a table with a name of each row, of which the second is the first below the columns. */
export function namingRows(nameOf: (row: number) => string) {
  return (error: unknown): never => {
    if (!(error instanceof Refusal)) throw error;
    const fields = error.fields.slice(0, 20).map(({ path, message }) => {
      const [, row, column] = /^rows\[(\d+)\]\.(.*)$/.exec(path) ?? [];
      return { path: row === undefined ? path : `${nameOf(Number(row))}, ${column}`, message };
    });
    throw new Refusal(error.code, error.message, fields);
  };
}

/** What a table of decisions did. */
export function answerWords({
  decided,
  pending,
  unchanged,
  skipped,
  dry_run,
}: Results['reconciliation.decisions.create']) {
  const parts = [
    `${decided} ${decided === 1 ? 'decision' : 'decisions'} ${dry_run ? 'can be made' : 'made'}`,
    ...(pending === 0 ? [] : [`${pending} ${dry_run ? 'would wait' : 'wait'} for a second person`]),
    ...(unchanged === 0 ? [] : [`${unchanged} stood already`]),
    ...(skipped === 0 ? [] : [`${skipped} rows without a decision`]),
  ];
  return `${parts.join(', ')}.`;
}

async function assign(visit: Visit, form: FormData, asked: readonly Asked[]): Promise<string> {
  const [first] = asked;
  if (first === undefined) throw new Refusal('validation_failed', 'tick the items first');
  const assignee = form.has('assignee') ? textOf(form, 'assignee') || null : handleOf(visit);
  for (const { id } of asked) {
    await visit.call('reconciliation.items.assign', { parameters: { id }, data: { assignee } });
  }
  const what = asked.length === 1 ? `Item ${first.id} is` : `${asked.length} items are`;
  return assignee === null ? `${what} assigned to nobody.` : `${what} assigned to ${assignee}.`;
}
