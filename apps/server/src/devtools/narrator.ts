import { styleText } from 'node:util';

/**
 * Prints a story on a terminal, in colour if the stream supports it. The text is the same without
 * colour.
 */
export interface Narrator {
  chapter(title: string): void;
  /** One step of the story and its outcome. */
  line(what: string, outcome?: string): void;
  approved(what: string, outcome: string): void;
  declined(what: string, outcome: string): void;
  failed(error: unknown): void;
}

const width = 62;

/** Colours follow the stream and `NO_COLOR`. */
export function createNarrator(stream: NodeJS.WriteStream): Narrator {
  const paint = (format: Parameters<typeof styleText>[0], text: string): string => styleText(format, text, { stream });
  const write = (text: string): void => void stream.write(`${text}\n`);
  const row = (what: string, outcome: string): void => {
    if (outcome === '') write(`  ${what}`);
    else if (what.length >= width) write(`  ${what}\n  ${' '.repeat(width)}${outcome}`);
    else write(`  ${what} ${paint('dim', '.'.repeat(width - what.length - 1))} ${outcome}`);
  };
  return {
    chapter: (title) => write(`\n${paint('bold', title)}`),
    line: (what, outcome = '') => row(what, outcome),
    approved: (what, outcome) => row(what, paint('green', outcome)),
    declined: (what, outcome) => row(what, paint('yellow', outcome)),
    failed: (error) =>
      write(`\n${paint('red', 'The story failed:')} ${error instanceof Error ? error.message : String(error)}`),
  };
}
