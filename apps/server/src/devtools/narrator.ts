import { styleText } from 'node:util';
import { wrapText } from '../terminal-text.ts';

/**
 * Prints a story on a terminal, in colour if the stream supports it. The text is the same without
 * colour.
 */
export interface Narrator {
  chapter(title: string): void;
  line(what: string, outcome?: string): void;
  approved(what: string, outcome: string): void;
  declined(what: string, outcome: string): void;
  failed(error: unknown): void;
}

/** Columns of a terminal. Outcomes are aligned to the right. */
const width = 80;

/** Colours follow the stream and `NO_COLOR`. */
export function createNarrator(stream: NodeJS.WriteStream): Narrator {
  const paint = (format: Parameters<typeof styleText>[0], text: string): string => styleText(format, text, { stream });
  const write = (text: string): void => void stream.write(`${text}\n`);
  const row = (what: string, outcome: string, format: Parameters<typeof styleText>[0] = 'reset'): void => {
    const lines = wrapText(what, '', '', width - 4).split('\n');
    const dots = width - 4 - lines.at(-1)!.length - outcome.length - 2;
    if (outcome !== '' && dots < 2) lines.push(' '.repeat(Math.max(0, width - 4 - outcome.length)));
    const last = lines.pop()!;
    for (const line of lines) write(`  ${line}`);
    const leader = dots < 2 ? '' : ` ${paint('dim', '.'.repeat(dots))} `;
    write(outcome === '' ? `  ${last}` : `  ${last}${leader}${paint(format, outcome)}`);
  };
  return {
    chapter: (title) => write(`\n${paint('bold', title)}`),
    line: (what, outcome = '') => row(what, outcome),
    approved: (what, outcome) => row(what, outcome, 'green'),
    declined: (what, outcome) => row(what, outcome, 'yellow'),
    failed(error) {
      const why = error instanceof Error ? error.message : String(error);
      const [first, ...others] = wrapText(`The story failed: ${why}`, '', '', width).split('\n');
      write(`\n${[paint('red', first!), ...others].join('\n')}`);
    },
  };
}
