import { basename, extname } from 'node:path';
import type { SampleSet } from '@tallystick/samples';
import type { SetFiles, SetWriting, StatementWriting } from './write-set.ts';

/** The text of README.txt: what the files of a set are, and how to use them. */
export function readmeOf(
  set: SampleSet,
  { clearing_files, statement_files }: SetFiles,
  { statements, is_loaded }: SetWriting,
): string {
  const { cards, records, seed, format, day } = set.options;
  const names = clearing_files.map((path) => basename(path));
  return `Samples for Tallystick: ${cards} cards, ${records} clearings, format ${format}, seed ${seed}, day ${day}.
All data is invented. The same options make the same set.

${is_loaded ? loaded : not_loaded}

Files
  ${names.join('\n  ')}
      The clearing ${names.length === 1 ? 'file' : 'files'} of the network: npm run import -- ${names[0] ?? ''}
${statements === null ? '' : statementFilesOf(statement_files, statements)}  cards.jsonl
      One card per line: its number in this set, its id (vcn_id), and the data of the request that creates it.
  authorizations.jsonl
      Messages for POST /network/v1/authorizations ({"data": <line>}), in the order in which they are to be sent.
      They contain card numbers.
  clearings.jsonl
      The clearings of the files as messages for POST /network/v1/clearings. A clearing that came by message
      is a duplicate in the file, and the other way round. Records that no message can state are not in it.
  answers.jsonl
      What must become of everything, once all of it has arrived.
      kind "clearing", in the order of the files:
        transaction_id   the network's id${set.able.transaction_id ? '' : `. ${format} has none: the record gets another one, made from its file and place`}
        rule             the rule of matching, 0 to 8; 0: a duplicate, which changes nothing
        class, review    the class of the clearing, and whether it is marked for review: its match is not certain
        authorization    the trace_id of the authorization that it belongs to, or null
        earlier          the transaction_id of the clearing that it reverses, disputes or refunds, or null
        duplicate_of     the transaction_id of the clearing that it repeats, or null
        quarantine       the reason why it cannot be applied, or null
        sent_before      --load sends it by message, so that the file has it a second time
${set.able.references === 'none' ? noReferencesOf(format) : ''}      kind "authorization": its status, what it holds, what has cleared, whether it counts as a use.
      kind "card": the available balance, the sums, the uses, and how many authorizations have each status.
${statements === null ? '' : itemAnswersOf(statements)}
Holds end 30 days after the authorizations are sent. From then on open authorizations are expired,
and the balances are higher than the answers say.
`;
}

function statementFilesOf(files: readonly string[], { account }: StatementWriting): string {
  const [first = '', last = ''] = [files[0], files.at(-1)].map((path) => basename(path ?? ''));
  return `  ${first} ... ${last}
      The statements of the account ${account}, a file for each day. Each opens with the balance with which
      the one before closed: import them in the order of their days, after the clearing files:
      npm run import -- "statement-*${extname(last)}"
`;
}

function itemAnswersOf({ today }: StatementWriting): string {
  return `      kind "item": what must have become of each purchase, lone clearing and lone card line at the end of
      ${today} (UTC), once everything was imported. Amounts are in minor units, purchases positive.
        authorizations   trace_ids
        clearings        transaction_ids
        lines, pairs     references of the bank, and which line belongs to which clearing
        status           matched, awaiting, proposed or break
        break_kind, age  the kind of the break, and its age bucket
        class, rule      the class that describes the item, and the weakest rule that made a match of it
        offers           how many covering sets are listed and not applied, because there is more than one
      kind "summary": counts and sums of all items. kind "bridge": the account from its first opening balance
      to its last closing balance, in the account's sign.
`;
}

function noReferencesOf(format: string): string {
  return `        ${format} has no approval codes and no references of the network or the acquirer. Clearings match by
        merchant and amount: the rules are 0, 6, 7 and 8, and each match by rule 6 is marked for review.
`;
}

const loaded = `The cards exist, and the authorizations were sent. Import the clearing files next.`;

const not_loaded = `The cards of this set do not exist: their numbers are invented, and their ids are those of an
empty database. Make the set with --load to create the cards and send the authorizations.`;
