import type { OpenBankingPage } from '@tallystick/consents';

/** The links of an answer (Links of the standard), as absolute URLs. */
export interface Links {
  readonly Self: string;
  readonly First?: string;
  readonly Prev?: string;
  readonly Next?: string;
}

export interface AskedAddress {
  /** The public address of the service, without a final slash. */
  readonly base_url: string;
  /** As sent, with its percent-encoding. */
  readonly path: string;
  /** As sent, without `?`. */
  readonly querystring: string;
}

/** The links of one resource. `created_id`: it was created, and is read at the path with this id. */
export function linksOfResource(address: AskedAddress, created_id: string | undefined): Links {
  if (created_id === undefined) return { Self: urlOf(address, address.querystring) };
  return { Self: urlOf({ ...address, path: `${address.path}/${encodeURIComponent(created_id)}` }, '') };
}

/** The links of a page: the same address, with another cursor. */
export function linksOfPage(address: AskedAddress, { next, prev }: Pick<OpenBankingPage, 'next' | 'prev'>): Links {
  const to = (cursor: string | null): string => urlOf(address, withCursor(address.querystring, cursor));
  return {
    Self: urlOf(address, address.querystring),
    ...(next === null && prev === null ? {} : { First: to(null) }),
    ...(prev === null ? {} : { Prev: to(prev) }),
    ...(next === null ? {} : { Next: to(next) }),
  };
}

function withCursor(querystring: string, cursor: string | null): string {
  const kept = querystring.split('&').filter((pair) => pair !== '' && !/^page(=|$)/.test(pair));
  return [...kept, ...(cursor === null ? [] : [`page=${encodeURIComponent(cursor)}`])].join('&');
}

function urlOf({ base_url, path }: AskedAddress, querystring: string): string {
  return base_url + toUri(path) + (querystring === '' ? '' : `?${toUri(querystring)}`);
}

/** Encodes what was sent without the encoding that a URI needs. */
function toUri(text: string): string {
  return text
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25')
    .replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu, (character) => encodeURIComponent(character.toWellFormed()));
}
