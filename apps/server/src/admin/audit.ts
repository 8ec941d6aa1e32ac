import { parseInstants } from '@tallystick/events';
import type { AuditFilter, Interval, PageRequest } from '@tallystick/kernel';
import { presentAuditEntry } from '@tallystick/operations';
import { formatList } from '../terminal-text.ts';
import { type Command, type ParsedWords, readItems, readOptionalId, UsageError } from './command.ts';

const entries_default = 100;

export const audit_commands: readonly Command[] = [
  {
    name: 'audit list',
    summary: 'Lists entries of the audit log, newest first',
    options: {
      company: 'only of this company',
      actor: 'only by this caller: key:17, or command for npm run admin',
      action: 'only this action: card_number.shown',
      object: 'only on this object: virtualcard:17',
      from: 'only from this instant or date (YYYY-MM-DD, UTC) on',
      to: 'only up to this instant, or the end of this date',
      limit: `how many; default ${entries_default}`,
    },
    async run(services, given) {
      const filter = readFilter(given);
      const limit = readOptionalId(given, 'limit') ?? entries_default;
      const { unitOfWork } = await services.persistence();
      const read = (page: PageRequest) => unitOfWork.read((tx) => tx.audit.list(filter, page));
      const entries = (await readItems(read, limit)).map(presentAuditEntry);
      return {
        data: entries,
        text: formatList(
          'There are no such entries.',
          ['at', 'company', 'actor', 'address', 'action', 'object', 'details'],
          entries.map(({ at, company_id, actor, source_address, action, object, details }) => {
            return [at, company_id, actor, source_address, action, object, JSON.stringify(details)];
          }),
        ),
      };
    },
  },
];

function readFilter(given: ParsedWords): AuditFilter {
  const company_id = readOptionalId(given, 'company');
  const texts = ['actor', 'action', 'object'].flatMap((name) => {
    const value = given.values.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const at = readTimes(given);
  return {
    ...(company_id === undefined ? {} : { company_id }),
    ...Object.fromEntries(texts),
    ...(at === null ? {} : { at }),
  };
}

function readTimes({ values }: ParsedWords): Interval | null {
  const [from, to] = [values.get('from'), values.get('to')];
  if (from === undefined && to === undefined) return null;
  const read = parseInstants(`[${from ?? ''},${to ?? ''}]`);
  if (typeof read === 'string') {
    const named = Object.entries({ from, to }).filter(([, value]) => value !== undefined);
    throw new UsageError(`${named.map(([name, value]) => `--${name} ${value}`).join(' ')} ${read}`);
  }
  return read;
}
