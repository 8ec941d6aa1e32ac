import { escapeHtml } from '../../answer/html.ts';

/** HTML of a text with `code` between backticks. */
export function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** HTML of a short piece of code. */
export function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

/** HTML of a heading that is a link to itself. `content` is HTML. */
export function heading(level: 2 | 3 | 4, anchor: string, content: string): string {
  const id = escapeHtml(anchor);
  return `<h${level} id="${id}"><a href="#${id}">${content}</a></h${level}>`;
}

/** HTML of a list of links. `content` of each is HTML. */
export function linkList(links: readonly { readonly anchor: string; readonly content: string }[]): string {
  const items = links.map(({ anchor, content }) => `<li><a href="#${escapeHtml(anchor)}">${content}</a></li>`);
  return `<ul>${items.join('\n')}</ul>`;
}

/** HTML of a table with a row of headings. All cells are HTML. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = headings.map((text) => `<th scope="col">${text}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table>`;
}

/** The anchor of a text: its words in lower case, joined by hyphens. */
export function anchorOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** A clause with a capital, for a cell of a table. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
