import { readFileSync } from 'node:fs';
import type { Mutant } from './mutants.ts';

/** A mutant of which docs/mutants.md says why nobody can notice it. */
export interface Argued {
  readonly path: string;
  readonly line_text: string;
  /** As `changeText` writes it. */
  readonly change: string;
  readonly reason: string;
}

/** Returns the change in one line, as the report and docs/mutants.md show it. */
export function changeText({ original, replacement }: Mutant): string {
  const shown = original.length > 60 ? `${original.slice(0, 59)}…` : original;
  return `${shown} → ${replacement === '' || replacement === ';' ? 'nothing' : replacement}`;
}

/** Reads the entries of docs/mutants.md: a heading for each file, and an entry for each mutant. */
export function readArgued(file: string): readonly Argued[] {
  const argued: Argued[] = [];
  let path = '';
  for (const paragraph of readFileSync(file, 'utf8').split(/\n(?=- |#)|\n\n/)) {
    const text = paragraph.replace(/\s+/g, ' ').trim();
    const heading = /^### `(.*)`$/.exec(text);
    if (heading !== null) path = heading[1] as string;
    const entry = /^- ``? ?(.*?) ?``?: ``? ?(.*?) ?``?\. (.*)$/.exec(text);
    if (entry === null) continue;
    const [, line_text, change, reason] = entry as unknown as [string, string, string, string];
    argued.push({ path, line_text, change, reason });
  }
  return argued;
}

export function isArgued(mutant: Mutant, argued: readonly Argued[]): boolean {
  const { path, line_text } = mutant;
  const oneLine = (text: string) => text.replace(/\s+/g, ' ');
  return argued.some(
    (one) => one.path === path && one.line_text === oneLine(line_text) && one.change === oneLine(changeText(mutant)),
  );
}
