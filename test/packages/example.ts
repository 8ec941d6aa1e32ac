/** The embedding example of the README, which hosts copy. */

export interface Example {
  /** The name of its file, from the comment in its first line: `app.ts`. */
  readonly file: string;
  readonly text: string;
}

/** An embedding is this short. Lines of the block, with blank lines and comments. */
const lines_max = 20;

/**
 * Returns the first TypeScript block below the heading "Embedding" of the README. Throws with what
 * is wrong when there is none, when its first line names no file, or when it is too long.
 */
export function embeddingExample(readme: string): Example {
  const section = /^(#+) Embed(?:ding)?\b.*\n([\s\S]*)/m.exec(readme);
  if (section === null) throw new Error('README.md has no heading "Embedding"');
  const [, marks = '', rest = ''] = section;
  const next = new RegExp(`^#{1,${marks.length}} `, 'm').exec(withoutBlocks(rest));
  const text = /^```ts\n([\s\S]*?)^```$/m.exec(next === null ? rest : rest.slice(0, next.index))?.[1];
  if (text === undefined) throw new Error('README.md has no ```ts block below its heading "Embedding"');
  const file = /^\/\/ ([\w.-]+\.ts)\b/.exec(text)?.[1];
  if (file === undefined) {
    throw new Error('README.md: the first line of the embedding example is not a comment with its file: "// app.ts"');
  }
  const lines = text.trimEnd().split('\n').length;
  if (lines > lines_max) throw new Error(`README.md: the embedding example has ${lines} lines; ${lines_max} at most`);
  return { file, text };
}

/** Blanks fenced blocks, whose comments of a shell look like headings, and keeps every index. */
function withoutBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ' '));
}
