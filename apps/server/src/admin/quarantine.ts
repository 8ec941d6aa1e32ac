import {
  listQuarantine,
  type QuarantinedRecord,
  quarantine_statuses,
  readQuarantined,
  replayQuarantined,
} from '@tallystick/cards';
import { presentQuarantined } from '@tallystick/operations';
import { formatList } from '../terminal-text.ts';
import { type Command, call, idOf, readChoice, readItems } from './command.ts';

export const quarantine_commands: readonly Command[] = [
  {
    name: 'quarantine list',
    summary: 'Lists the clearings that were refused and are kept, newest first',
    options: { status: `only these: ${quarantine_statuses.join(' or ')}` },
    async run(services, given) {
      const status = readChoice(given, 'status', quarantine_statuses);
      const filter = status === undefined ? {} : { status };
      const { unitOfWork } = await services.persistence();
      const records = await readItems((page) => unitOfWork.read((tx) => listQuarantine(tx, filter, page)));
      return {
        data: records.map(presentQuarantined),
        text: formatList(
          'There are no such records.',
          ['id', 'status', 'reason', 'count', 'last seen'],
          records.map((record) => {
            const { id, status, reason, count, last_seen_at } = presentQuarantined(record);
            return [id, status, reason, count, last_seen_at];
          }),
        ),
      };
    },
  },
  {
    name: 'quarantine show',
    argument: 'id',
    summary: 'Shows a quarantined record, its card number masked',
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const { unitOfWork } = await services.persistence();
      return show(await unitOfWork.read((tx) => readQuarantined(tx, id)));
    },
  },
  {
    name: 'quarantine replay',
    argument: 'id',
    summary: 'Sends the message of a quarantined record again, once the cause is gone',
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const { card_vault: vault, ...secrets } = services.vault();
      const { unitOfWork } = await services.persistence();
      const network = await services.network();
      return show(await replayQuarantined({ ...secrets, unitOfWork, network, vault }, call(services), id));
    },
  },
];

function show(record: QuarantinedRecord): { readonly data: unknown; readonly text: string } {
  const data = presentQuarantined(record);
  return { data, text: JSON.stringify(data, null, 2) };
}
