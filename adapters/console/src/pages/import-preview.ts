import { maskCardNumbers } from '@tallystick/kernel';
import type { Results } from '@tallystick/operations';
import { countText } from '../look/charts.ts';
import { type Content, html, when } from '../look/html.ts';
import { facts, panel, table } from '../look/parts.ts';
import { badge, dash, date, foreign, money } from '../look/values.ts';
import { noteBeginning, previewed_bytes_max, type Upload } from '../upload.ts';
import type { Visit } from '../visit.ts';
import { importBadge, quarantine_words, sentence } from './import-words.ts';

type Preview = Results['operator.imports.preview'];
type Previewed = Preview['first_records'][number];

/** Shows what a file is. Nothing of it is stored: to be imported it is sent again. */
export async function previewPage(visit: Visit, { name, fields, bytes }: Upload): Promise<Response> {
  let beginning = '';
  const file = noteBeginning(bytes, (sha256) => {
    beginning = sha256;
  });
  const chosen = (field_name: string) => fields.get(field_name)?.trim() || undefined;
  const options = { name, format: chosen('format'), profile: chosen('profile') };
  const found = await visit.call('operator.imports.preview', { file, options });
  const hidden = Object.entries({ format: options.format, profile: options.profile, previewed: beginning });
  return await visit.page({
    title: 'Is this the right file?',
    nav: 'imports',
    trail: [],
    content: html`<div class="preview">${panel(maskCardNumbers(name), html`${outcomeOf(visit, found)}${contentOf(found)}`)}
${when(found.problems.length > 0, () => panel('Records that would be in quarantine', recordsTable(found.problems, true)))}
${when(found.first_records.length > 0, () => panel('The first records', recordsTable(found.first_records, false)))}
${when(isImportable(found), () => confirmForm(visit, hidden))}</div>`,
  });
}

/** Whether an import would apply something, or hold it for a person. */
function isImportable({ status, known_import_id }: Preview): boolean {
  return known_import_id === null && status !== 'refused' && status !== 'truncated';
}

function outcomeOf(visit: Visit, found: Preview): Content {
  const { status, known_import_id, is_whole, problem, warnings, held_statements } = found;
  if (known_import_id !== null) {
    return html`<p class="warning">The same file was imported before. <a href="${visit.rootPath(`/imports/${known_import_id}`)}">Show that import</a></p>`;
  }
  return html`<p>It would be ${importBadge({ status })}. Nothing is stored yet.</p>
${when(!is_whole, () => html`<p class="warning">It is long: only its first ${countText(found.records)} records were read. All of it is checked before anything is applied. The file that you send next is compared with this one in its first ${previewed_bytes_max / 1024 / 1024} MB only.</p>`)}
${when(held_statements.length === 0 ? problem : null, ({ message }) => html`<p class="warning">${sentence(message)}</p>`)}
${held_statements.map((held) => html`<p class="warning">Statement ${held.number} of account ${foreign(held.account_number)}, ${date(held.as_of)}: ${sentence(held.message)}</p>`)}
${warnings.map((warning) => html`<p class="warning">${sentence(warning)}</p>`)}`;
}

function contentOf(found: Preview): Content {
  const { format, read_with, records, statements, accounts, from, through, sums, held } = found;
  const totals = Object.entries(found.control_totals).map(([name, total]) => `${name} ${total}`);
  const is_clearings = statements === 0;
  return facts([
    ['Format', html`${format}${when(read_with, ({ profile }) => html`, profile ${foreign(profile)}`)}`],
    ['Id in the file', foreign(found.file_id)],
    ['Records', countText(records)],
    ...(is_clearings
      ? []
      : ([
          ['Statements', countText(statements)],
          [
            'Accounts',
            accounts.length === 0 ? dash : accounts.map((one, at) => html`${at === 0 ? '' : ', '}${foreign(one)}`),
          ],
        ] as const)),
    ['Period', from === null ? dash : html`${date(from)} to ${date(through)}`],
    [
      is_clearings ? 'Debits less credits' : 'Sum of its lines',
      Object.keys(sums).length === 0
        ? dash
        : Object.entries(sums).map(([currency, sum]) => html`${money(Number(sum), currency)} `),
    ],
    ['Totals of its trailer', totals.join(', ') || dash],
    ['Would be applied', countText(found.applied)],
    ['Known before', countText(found.duplicates)],
    ...(is_clearings
      ? ([
          ['Would match an authorization', countText(found.matched)],
          ['To be looked at', countText(found.breaks)],
          ['Would be in quarantine', countText(found.quarantined)],
        ] as const)
      : ([['Would be held', countText(held)]] as const)),
  ]);
}

const outcomes: Readonly<Record<Previewed['outcome'], readonly [word: string, tone: 'ok' | 'quiet' | 'warn']>> = {
  applied: ['would be applied', 'ok'],
  duplicate: ['known before', 'quiet'],
  quarantined: ['in quarantine', 'warn'],
  other: ['no clearing', 'quiet'],
};

function recordsTable(rows: readonly Previewed[], shows_why: boolean): Content {
  return table({
    caption: shows_why ? 'The first records that would be in quarantine' : 'The first records of the file',
    rows,
    empty: '',
    columns: [
      { title: 'Record', kind: 'number', cell: ({ ordinal }) => ordinal },
      {
        title: 'Card or account',
        cell: ({ vcn_id, last4, account_number }) =>
          account_number !== null
            ? foreign(account_number)
            : vcn_id === null
              ? dash
              : html`card ${vcn_id}${when(last4, (digits) => html`, ending in ${digits}`)}`,
      },
      { title: 'Date', cell: (one) => date(one.date) },
      { title: 'Amount', kind: 'number', cell: ({ amount, currency }) => money(amount, currency) },
      shows_why
        ? { title: 'Why', cell: ({ reason, explanation }) => html`${wordsOf(reason)} ${sentence(explanation)}` }
        : {
            title: 'Outcome',
            cell: ({ outcome, reason }) => {
              const [word, tone] = outcomes[outcome];
              return html`${badge(word, tone)}${when(outcome === 'other' ? reason : null, (type) => html` ${foreign(type)}`)}`;
            },
          },
    ],
  });
}

function wordsOf(reason: string | null): Content {
  const words = quarantine_words[reason as keyof typeof quarantine_words];
  return words === undefined ? '' : html`<strong>${words[0]}.</strong>`;
}

/** Sends the file again. The script has it; without one it is chosen again, and is compared with what was shown. */
function confirmForm(visit: Visit, hidden: readonly (readonly [name: string, value: string | undefined])[]): Content {
  return html`<form method="post" enctype="multipart/form-data" action="${visit.rootPath('/imports')}" data-upload>
${visit.csrf}${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value ?? ''}">`)}
<div class="field drop"><label for="field-again">The same file again</label><input id="field-again" name="file" type="file" required></div>
<div class="actions"><button>Import</button><a href="${visit.rootPath('/imports')}">Another file</a><progress max="1" value="0" hidden aria-label="How much of the file is sent"></progress><span role="status"></span></div>
</form>`;
}
