import { presentApproval, presentExplainedItem, presentItem } from '@tallystick/operations';
import {
  type ActKind,
  actOnItem,
  catchUp,
  dateOf,
  explainItem,
  isApproval,
  nameItems,
  namesOf,
  readWithCell,
} from '@tallystick/reconciliation';
import { type Command, idOf, type ParsedWords, UsageError } from '@tallystick/server';
import { actPortsOf, callFor, companyOf, portsOf, writingCall } from './companies.ts';
import { describeItem } from './item-text.ts';
import { describePending } from './pending-text.ts';

const company_option = { company: 'the company of the item; needed when there are several' };

const act_options = {
  note: 'why, for the history of the item and the audit log; required',
  reason: 'a reason in words of your own',
  version: 'refuses the action if the item has changed since this version',
  ...company_option,
};

const showCommand: Command = {
  name: 'show',
  argument: 'item',
  summary: 'Shows an item with its records, what else it may belong to, and what was done to it',
  options: company_option,
  async run(services, given) {
    const id = idOf('<item>', given.argument);
    const company_id = await companyOf(services, given);
    const ports = await portsOf(services);
    await catchUp(ports, company_id);
    const call = callFor(services, company_id);
    const found = await ports.unitOfWork.read((tx) => explainItem(tx, call, id));
    const today = dateOf(call.now_ms);
    return {
      data: presentExplainedItem(found, today),
      text: describeItem({ ...found, names: namesOf(found.records, found.open_approval_id) }, today),
    };
  },
};

interface ActCommand {
  readonly action: ActKind;
  readonly summary: string;
  readonly options?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string>>;
  /** Reads what only this action has. */
  read?(given: ParsedWords): object;
}

const acts: readonly ActCommand[] = [
  {
    action: 'match',
    summary: 'Matches an item with records of another side. Undone by unmatch',
    options: {
      with: 'the records of the other side: "line:408", "clearing:45", "authorization:9"; several separated by blanks',
    },
    flags: { 'accept-difference': 'also accepts the difference that is left, in the same act; needs --reason' },
    read: readMatch,
  },
  {
    action: 'unmatch',
    summary: 'Undoes a match. Undone by match',
    options: { side: 'authorization or statement; the match that was made last when absent' },
    read: ({ values }) => ({ side: values.get('side') ?? null }),
  },
  { action: 'accept', summary: 'Accepts the difference of a break. Undone by reopen' },
  { action: 'ignore', summary: 'Takes an item out of every total. Undone by reopen' },
  { action: 'confirm', summary: 'Confirms a proposal. Undone by reopen' },
  { action: 'reopen', summary: 'Undoes accept, ignore and confirm' },
];

/** What people do to items (docs/reconciliation.md, "Actions"), as the interface does it. */
export const actCommands: readonly Command[] = [
  showCommand,
  ...acts.map(
    ({ action, summary, options = {}, flags = {}, read }): Command => ({
      name: action,
      argument: 'item',
      summary,
      options: { ...options, ...act_options },
      flags,
      async run(services, given) {
        const id = idOf('<item>', given.argument);
        const { values } = given;
        const version = values.get('version');
        const request = {
          note: values.get('note') ?? null,
          reason: values.get('reason') ?? null,
          version: version === undefined ? null : idOf('--version', version),
          ...read?.(given),
        };
        const company_id = await companyOf(services, given);
        const ports = await actPortsOf(services);
        const found = await actOnItem(ports, writingCall(services, company_id), id, action, request);
        if (isApproval(found)) return { data: presentApproval(found), text: describePending(found) };
        const today = dateOf(services.clock().nowMs());
        const { unitOfWork } = await portsOf(services);
        const named = await unitOfWork.read((tx) => nameItems(tx, company_id, [found]));
        const names = named.get(found.id)!;
        return { data: presentItem(found, names, today), text: describeItem({ item: found, names }, today) };
      },
    }),
  ),
];

/** What `--with` and `--accept-difference` ask for, as the request of a match has it. */
function readMatch({ values, flags }: ParsedWords): object {
  const text = values.get('with');
  if (text === undefined) throw new UsageError('--with is missing: it names the records of the other side');
  const named = readWithCell(text, null);
  if (typeof named === 'string') throw new UsageError(`--with ${named}`);
  const { authorization_id, clearing_ids, line_ids } = named.with;
  return {
    with: {
      ...(authorization_id === null ? {} : { authorization_id }),
      ...(clearing_ids.length === 0 ? {} : { clearing_ids }),
      ...(line_ids.length === 0 ? {} : { line_ids }),
    },
    accept_difference: named.accept_difference || flags.has('accept-difference'),
  };
}
