/**
 * The guides of docs/hosts.md, and that of docs/harness.md. Each is followed word by word in an
 * empty folder, with the packed packages in place of those of a registry.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { startLocalPostgres } from '@tallystick/test-support';
import { outcomeOf } from './host-project.ts';
import type { PackedPackage } from './packing.ts';

export interface Guide {
  /** Its heading. */
  readonly name: string;
  readonly steps: readonly Step[];
}

export type Step = FileStep | CommandStep;

/** A file that the reader writes. */
export interface FileStep {
  readonly file: string;
  readonly text: string;
}

/** What the reader runs in the folder of the guide. */
export interface CommandStep {
  readonly commands: string;
  /** The lines that it writes, among others. */
  readonly output: readonly string[];
}

/** The section whose files the reader of every guide writes first. */
const first_section = 'The program';

/**
 * Returns the sections with commands. Throws when a block is neither a file, commands nor their
 * output.
 */
export function readGuides(document: string): readonly Guide[] {
  const sections = sectionsOf(document).map(({ name, text }) => ({ name, steps: stepsOf(text) }));
  const first = sections.find(({ name }) => name === first_section);
  if (first === undefined) throw new Error(`the document has no section "${first_section}"`);
  return sections
    .filter(({ steps }) => steps.some((step) => 'commands' in step))
    .map(({ name, steps }) => ({ name, steps: [...first.steps, ...steps] }));
}

/** Returns one section as a guide. Throws as `readGuides` does, and when there is no such section. */
export function readGuide(document: string, name: string): Guide {
  const section = sectionsOf(document).find((one) => one.name === name);
  if (section === undefined) throw new Error(`the document has no section "${name}"`);
  return { name, steps: stepsOf(section.text) };
}

function sectionsOf(document: string): readonly { readonly name: string; readonly text: string }[] {
  return document.split(/^## /m).map((text) => ({ name: text.split('\n', 1)[0]!, text }));
}

function stepsOf(section: string): readonly Step[] {
  const steps: Step[] = [];
  for (const [, language, text] of section.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const file = /^\/\/ ([\w.-]+)\n/.exec(text!)?.[1];
    const last = steps.at(-1);
    if (language === 'sh') steps.push({ commands: text!, output: [] });
    else if (file !== undefined) steps.push({ file, text: text! });
    else if (language === 'text' && last !== undefined && 'commands' in last) {
      steps[steps.length - 1] = { ...last, output: text!.trimEnd().split('\n') };
    } else throw new Error(`a block is neither a file with its name in its first line, nor commands:\n${text}`);
  }
  return steps;
}

/**
 * Whether the guide installs what SQLite needs. Otherwise every step has the address of a Postgres.
 */
function isForSqlite({ steps }: Guide): boolean {
  return steps.some((step) => 'commands' in step && step.commands.includes('better-sqlite3'));
}

/**
 * Follows a guide with the programs of a folder before those of PATH, and repeats its last commands
 * on every database. Returns what did not go as it says.
 */
export async function followGuide(
  guide: Guide,
  folder: string,
  packages: readonly PackedPackage[],
  programs: string,
): Promise<readonly string[]> {
  const postgres = await startLocalPostgres();
  try {
    const urls = isForSqlite(guide) ? [undefined, 'sqlite:./shop.db', postgres.url] : [postgres.url];
    return await followSteps(guide, folder, packages, programs, urls);
  } finally {
    await postgres.stop();
  }
}

/** Follows a guide, and repeats its last commands with each address of a database, or without one. */
export async function followSteps(
  guide: Guide,
  folder: string,
  packages: readonly PackedPackage[],
  programs: string,
  urls: readonly (string | undefined)[] = [undefined],
): Promise<readonly string[]> {
  const empty = join(folder, 'program');
  mkdirSync(empty, { recursive: true });
  for (const step of guide.steps) {
    if ('file' in step) {
      writeFileSync(join(empty, step.file), step.text);
      continue;
    }
    const is_last = step === guide.steps.findLast((one) => 'commands' in one);
    for (const url of is_last ? urls : [urls[0]]) {
      const problem = await follow(step, url);
      if (problem !== null) return [`the guide ${guide.name}: ${problem}`];
    }
  }
  return [];

  async function follow({ commands, output }: CommandStep, url: string | undefined): Promise<string | null> {
    const tarballs = packages.map(({ tarball }) => tarball).join(' ');
    const named = /^npm install (tallystick\b|@tallystick\/[\w-]+([ \\\n]+@tallystick\/[\w-]+)*)/gm;
    const script = commands.replace(named, `npm install ${tarballs}`);
    const outcome = await outcomeOf(empty, 'bash', ['-ec', script], {
      PATH: [programs, process.env.PATH].join(delimiter),
      NO_COLOR: '1',
      // `prisma generate` does not run it, but downloads it.
      PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
      ...(url === undefined ? {} : { DATABASE_URL: url }),
    });
    const on = url === undefined ? '' : `with DATABASE_URL=${url}, `;
    if (!outcome.succeeded) return `${on}these commands failed:\n${commands}${outcome.output}`;
    const missing = missingLines(outcome.output, output);
    return missing.length === 0
      ? null
      : `${on}${JSON.stringify(missing[0])} is missing in the output of:\n${commands}${outcome.output}`;
  }
}

/** Returns the lines that the output does not contain in their order. */
function missingLines(output: string, expected: readonly string[]): readonly string[] {
  let from = 0;
  return expected.filter((line) => {
    const at = output.indexOf(line, from);
    if (at >= 0) from = at + line.length;
    return at < 0;
  });
}
