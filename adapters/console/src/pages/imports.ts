import { invalid, Refusal } from '@tallystick/kernel';
import type { ConsoleApp } from '../console-app.ts';
import { type Content, html, when } from '../look/html.ts';
import { livePart, secondsOf } from '../look/live.ts';
import { choice, field, fieldError, link, pager, panel, table } from '../look/parts.ts';
import { foreign, instant } from '../look/values.ts';
import { withNotice } from '../notice.ts';
import { Problem } from '../problem.ts';
import { noteBeginning, previewed_bytes_max, readUpload, type Upload } from '../upload.ts';
import type { Visit } from '../visit.ts';
import { previewPage } from './import-preview.ts';
import { format_choices, type Import, importBadge, importOutcome, status_choices } from './import-words.ts';

/** Files of clearings and of statements: the list, and the form that sends one. */
export function importsPages(app: ConsoleApp): void {
  app.get('/imports', (c) => importsPage(c.var.visit, c.req.query()));

  app.post('/imports/preview', (c) => takeFile(c.var.visit, (upload) => previewPage(c.var.visit, upload)));

  app.post('/imports', (c) => {
    const { visit } = c.var;
    return takeFile(visit, async (upload) => {
      const found = await importUpload(visit, upload);
      const to = visit.rootPath(`/imports/${found.id}`);
      // A script goes there itself, and is shown the notice then.
      const response = new Response(null, { status: isOfScript(visit) ? 201 : 303, headers: { Location: to } });
      return withNotice(visit, response, `The file ${found.name} has arrived.`);
    });
  });
}

function isOfScript({ request }: Visit): boolean {
  return (request.headers.get('content-type') ?? '').startsWith('application/octet-stream');
}

/** Does something with a file that is sent. A script gets the words of a refusal, and a form the page with them. */
async function takeFile(visit: Visit, work: (upload: Upload) => Promise<Response>): Promise<Response> {
  try {
    if (!visit.may('operator.imports.create')) throw new Refusal('forbidden', 'your roles do not permit an import');
    return await work(await readUpload(visit.request, (token) => visit.checkToken(token)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    visit.problem = new Problem(error, new FormData());
    const { status } = visit.problem;
    if (isOfScript(visit)) return new Response(error.message, { status });
    if (status === 403) throw error;
    return await importsPage(visit, {});
  }
}

/** The result comes as soon as the file is checked: its page shows the rest. */
function importUpload(visit: Visit, { name, fields, bytes }: Upload): Promise<Import> {
  const chosen = (field_name: string) => fields.get(field_name)?.trim() || undefined;
  const previewed = chosen('previewed');
  const file = noteBeginning(bytes, (sha256) => {
    if (previewed !== undefined && sha256 !== previewed) {
      throw invalid({ path: 'file', message: 'is not the file that was shown: choose it again' });
    }
  });
  return visit.call('operator.imports.create', {
    file,
    options: { name, format: chosen('format'), profile: chosen('profile'), respond_async: true },
  });
}

async function importsPage(
  visit: Visit,
  { status = '', format = '' }: Record<string, string | undefined>,
): Promise<Response> {
  const filter = { ...(status === '' ? {} : { status }), ...(format === '' ? {} : { format }) };
  const { items, next } = await visit.call('operator.imports.list', { options: visit.paged(filter) });
  return await visit.page({
    title: 'Imports',
    nav: 'imports',
    content: html`${when(visit.may('operator.imports.create'), () => panel('Import a file', uploadForm(visit)))}
<form class="filters" action="${visit.rootPath('/imports')}">
${choice({ name: 'status', label: 'Status', value: status, of: [['', 'any'], ...status_choices] })}
${choice({ name: 'format', id: 'format-shown', label: 'Format', value: format, of: [['', 'any'], ...format_choices.slice(1)] })}
<button class="second">Filter</button></form>
${livePart(
  visit,
  'imports',
  { every_s: secondsOf(items.some((one) => one.status === 'running')) },
  html`${importsTable(visit, items)}${pager(visit, visit.rootPath('/imports'), next)}`,
)}`,
  });
}

function uploadForm(visit: Visit): Content {
  const { problem } = visit;
  const error = problem?.of('file');
  return html`<form method="post" enctype="multipart/form-data" action="${visit.rootPath('/imports/preview')}" data-preview="${previewed_bytes_max}">
${visit.csrf}
<div class="columns">${choice({ name: 'format', label: 'Format', of: format_choices, error: problem?.of('format') })}
${field({ name: 'profile', label: 'Profile', hint: 'Only for CSV: the name of a profile of this installation.', error: problem?.of('profile'), maxlength: 100 })}</div>
<div class="field${error === undefined ? '' : ' wrong'}"><label for="field-file">File</label>
<p class="hint" id="hint-file">Clearings or bank statements, of any length. The same file is applied only once.</p>
${fieldError('file', error)}
<div class="drop"><input id="field-file" name="file" type="file" required aria-describedby="hint-file"></div></div>
<div class="actions"><button>Show what it is</button><span role="status"></span></div>
</form><div id="previews"></div>`;
}

function importsTable(visit: Visit, items: readonly Import[]): Content {
  return table({
    caption: 'Imports, newest first',
    columns: [
      { title: 'File', cell: ({ id, name }) => link(visit.rootPath(`/imports/${id}`), foreign(name)) },
      { title: 'Status', cell: importBadge },
      { title: 'Format', cell: ({ format }) => format },
      { title: 'Records', cell: importOutcome },
      { title: 'Arrived', cell: ({ started_at }) => instant(started_at) },
    ],
    rows: items,
    empty: 'No file fits the filter, or none has arrived yet.',
  });
}
