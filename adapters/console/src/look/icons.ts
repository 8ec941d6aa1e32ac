import { type Content, html, raw } from './html.ts';

/** Strokes on a ground of 24 by 24. */
const strokes = {
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  cards: 'M3 6h18v12H3z M3 10h18 M7 15h4',
  authorizations: 'M4 6h16 M4 12h16 M4 18h10 M17 18l2 2 3-4',
  breaks: 'M4 7h6l2 3-2 3 2 4H4z M20 7h-5l2 3-2 3 2 4h3z',
  bridge: 'M3 18V9 M21 18V9 M3 13c4-6 14-6 18 0 M3 15h18 M8 10v5 M12 9v6 M16 10v5',
  periods: 'M4 6h16v14H4z M4 10h16 M8 3v4 M16 3v4 M9 15l2 2 4-4',
  approvals: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z M8 12l3 3 5-6',
  webhooks: 'M5 12a7 7 0 0114 0 M12 12l7 7 M8 12a4 4 0 018 0 M4 19h6',
  events: 'M4 5h16 M4 10h16 M4 15h10 M4 20h6',
  overview: 'M4 20V11h4v9 M10 20V4h4v16 M16 20v-6h4v6 M3 20h18',
  imports: 'M12 3v12 M7 10l5 5 5-5 M4 16v4h16v-4',
  quarantine: 'M12 4l9 16H3z M12 10v4 M12 17v.5',
  consents: 'M12 12a4 4 0 100-8 4 4 0 000 8z M4 20c0-4 4-6 8-6 M14 18l2.5 2.5L21 16',
  'third-parties': 'M4 20V8l8-4 8 4v12 M4 20h16 M9 20v-5h6v5 M9 11h.5 M14.5 11h.5',
  companies: 'M4 20V5h9v15 M13 10h7v10 M3 20h18 M7 9h3 M7 13h3 M16 14h1 M16 17h1',
  people:
    'M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7z M3 20c0-4 3-6 6-6s6 2 6 6 M16 4.5a3.5 3.5 0 010 6.5 M18 14.5c2 .8 3 2.6 3 5.5',
  settings: 'M4 7h10 M18 7h2 M4 17h2 M10 17h10 M14 7a2 2 0 104 0 2 2 0 00-4 0 M6 17a2 2 0 104 0 2 2 0 00-4 0',
  keys: 'M8 16a4 4 0 100-8 4 4 0 000 8z M12 12h9 M18 12v4 M21 12v3',
  audit: 'M6 3h9l4 4v14H6z M14 3v5h5 M9 12h7 M9 16h7',
  sandbox: 'M9 3h6 M10 3v6l-5 9a2 2 0 002 3h10a2 2 0 002-3l-5-9V3 M8 15h8',
};

/** The parts of the console, each of which the navigation leads to. */
export type Section = keyof typeof strokes;

/** The sign of a part of the console, which only repeats its name. */
export function icon(section: Section): Content {
  return html`<svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d="${raw(strokes[section])}" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}
