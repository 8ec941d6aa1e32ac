import { type Content, html, when } from './html.ts';

export interface Column<Row> {
  /** Empty: what is in the column needs none. */
  readonly title: string;
  readonly cell: (row: Row) => Content;
  /** Numbers are at the right, in figures of one width. A bar gets the room that is left. */
  readonly kind?: 'text' | 'number' | 'bar' | undefined;
}

export interface TableOptions<Row> {
  /** What the table shows, for who cannot see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** What is said when there are no rows. */
  readonly empty?: string | undefined;
  /** Attributes of a row: an id to come back to. */
  readonly rowId?: ((row: Row) => string) | undefined;
  /** `failed` for a row that stands out. */
  readonly rowClass?: ((row: Row) => string) | undefined;
  /** The few short columns fit on a phone, too. */
  readonly is_compact?: boolean | undefined;
}

/** A table, which on a narrow screen shows each row as a card, unless it is compact. */
export function table<Row>(options: TableOptions<Row>): Content {
  const { caption, columns, rows, empty = '', rowId, rowClass, is_compact = false } = options;
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scroll"><table${is_compact ? html` class="compact"` : ''}>
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${columns.map(({ title, kind }) => (title === '' ? html`<td></td>` : html`<th scope="col" class="${kind ?? 'text'}">${title}</th>`))}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr${when(rowId?.(row), (id) => html` id="${id}"`)}${when(rowClass?.(row) || null, (name) => html` class="${name}"`)}>${columns.map(
        ({ title, kind, cell }) =>
          html`<td class="${kind ?? 'text'}"><span class="label" aria-hidden="true">${title}</span><span class="value">${cell(row)}</span></td>`,
      )}</tr>`,
  )}</tbody></table></div>`;
}

/** A link to another page. */
export function link(href: string, text: Content): Content {
  return html`<a href="${href}">${text}</a>`;
}

/** Names with their values. A row that does not apply is false. */
export function facts(rows: readonly (readonly [name: string, value: Content] | false)[]): Content {
  return html`<dl class="facts">${rows
    .filter((row) => row !== false)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A titled part of a page. */
export function panel(title: Content, content: Content, { id = '' } = {}): Content {
  return html`<section class="panel"${id === '' ? '' : html` id="${id}"`}><h2>${title}</h2>${content}</section>`;
}

/** The link to the next page of the list at `path`, by its cursor; nothing on the last page. */
export function pager({ query }: { readonly query: URLSearchParams }, path: string, next: string | null): Content {
  if (next === null) return '';
  query.set('after', next);
  const [at, fragment] = path.split('#');
  const href = `${at}?${query}${fragment === undefined ? '' : `#${fragment}`}`;
  return html`<nav class="pager" aria-label="Pages"><a rel="next" href="${href}">Next page</a></nav>`;
}

export interface FieldOptions {
  readonly name: string;
  /** Where several forms of a page have a field of this name: another one for its id. */
  readonly id?: string | undefined;
  readonly label: string;
  readonly value?: string | number | null | undefined;
  readonly hint?: string | undefined;
  /** What is wrong with the value, from `problem.of(name)`. */
  readonly error?: string | undefined;
  readonly type?: 'text' | 'search' | 'password' | 'email' | 'url' | 'date' | 'datetime-local' | 'number' | undefined;
  readonly required?: boolean | undefined;
  readonly autocomplete?: string | undefined;
  readonly inputmode?: 'text' | 'decimal' | 'numeric' | undefined;
  readonly maxlength?: number | undefined;
}

/** A labelled field of one line, with its hint and its error. */
export function field(options: FieldOptions): Content {
  const { name, id = name, value, type = 'text', required, autocomplete, inputmode, maxlength } = options;
  return labelled(
    options,
    (described) =>
      html`<input id="field-${id}" name="${name}" type="${type}" value="${value ?? ''}"${described}${required ? html` required` : ''}${when(autocomplete, (text) => html` autocomplete="${text}"`)}${when(inputmode, (text) => html` inputmode="${text}"`)}${when(maxlength, (count) => html` maxlength="${count}"`)}>`,
  );
}

/** A labelled field of several lines. */
export function textArea(options: Omit<FieldOptions, 'type'> & { readonly rows?: number }): Content {
  const { name, id = name, value, required, maxlength, rows = 3 } = options;
  return labelled(
    options,
    (described) =>
      html`<textarea id="field-${id}" name="${name}" rows="${rows}"${described}${required ? html` required` : ''}${when(maxlength, (count) => html` maxlength="${count}"`)}>${value ?? ''}</textarea>`,
  );
}

/** A labelled choice of one value. */
export function choice(
  options: Omit<FieldOptions, 'type'> & { readonly of: readonly (readonly [value: string, label: string])[] },
): Content {
  const { name, id = name, value, of } = options;
  const chosen = String(value ?? '');
  return labelled(
    options,
    (described) =>
      html`<select id="field-${id}" name="${name}"${described}>${of.map(
        ([one, label]) => html`<option value="${one}"${one === chosen ? html` selected` : ''}>${label}</option>`,
      )}</select>`,
  );
}

/** A box to tick. */
export function tick(name: string, label: string, { checked = false, value = 'on', id = name } = {}): Content {
  return html`<p class="tick"><input type="checkbox" id="field-${id}" name="${name}" value="${value}"${checked ? html` checked` : ''}><label for="field-${id}">${label}</label></p>`;
}

/** What is wrong with the value of a field; nothing for undefined. */
export function fieldError(id: string, error: string | undefined): Content {
  return when(
    error,
    (text) => html`<p class="error" id="error-${id}"><span class="visually-hidden">Error: </span>${text}</p>`,
  );
}

function labelled(
  { name, id = name, label, hint, error }: FieldOptions,
  input: (described: Content) => Content,
): Content {
  const ids = [hint === undefined ? [] : [`hint-${id}`], error === undefined ? [] : [`error-${id}`]].flat();
  const described: Content =
    ids.length === 0
      ? ''
      : html` aria-describedby="${ids.join(' ')}"${error === undefined ? '' : html` aria-invalid="true"`}`;
  return html`<div class="field${error === undefined ? '' : ' wrong'}"><label for="field-${id}">${label}</label>
${when(hint, (text) => html`<p class="hint" id="hint-${id}">${text}</p>`)}
${fieldError(id, error)}
${input(described)}</div>`;
}
