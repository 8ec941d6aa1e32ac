import { escapeHtml } from '../../answer/html.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { anchorOf, linkList } from './markup.ts';
import { operationsOf, type PlacedOperation } from './operation.ts';
import { methodName } from './operation-section.ts';

/** A section of the page in the list of contents. `content` is HTML. */
export interface ContentsEntry {
  readonly anchor: string;
  readonly content: string;
  /** HTML of a nested list, or empty. */
  readonly inside?: string;
}

/** HTML of the list of contents. */
export function contentsList(entries: readonly ContentsEntry[]): string {
  const items = entries.map(
    ({ anchor, content, inside = '' }) => `<li><a href="#${escapeHtml(anchor)}">${content}</a>${inside}</li>`,
  );
  return `<nav aria-label="Contents"><ul>\n${items.join('\n')}\n</ul></nav>`;
}

/** The entry of a tag, with its operations inside. */
export function tagEntry(tag: string, document: OpenApiDocument): ContentsEntry {
  return { anchor: anchorOf(tag), content: escapeHtml(tag), inside: operationLinks(operationsOf(tag, document)) };
}

/** HTML of a list of links to operations. */
export function operationLinks(operations: readonly PlacedOperation[]): string {
  return linkList(
    operations.map(({ method, operation }) => ({
      anchor: operation.operationId,
      content: `${methodName(method)} ${escapeHtml(operation.summary)}`,
    })),
  );
}
