/**
 * A word, a quoted identifier or a string of a statement, or one other character. Blanks and
 * comments are no tokens.
 */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'string' | 'other';
  /** Without quotes; words in lower case. */
  readonly value: string;
  /** The place of the value in the statement, within its quotes. */
  readonly from: number;
  readonly to: number;
}

const pattern =
  /(?<blank>\s+|--[^\n]*|\/\*.*?(?:\*\/|$))|(?<parameter>[?:@$][\p{L}\p{N}_$]*)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<number>\p{N}[\p{L}\p{N}_.]*)|"(?<double>(?:[^"]|"")*)"|`(?<tick>(?:[^`]|``)*)`|\[(?<bracket>[^\]]*)\]|'(?<string>(?:[^']|'')*)'|(?<other>.)/gsu;

/** The tokens of one or several statements of SQLite. A blob `x'..'` is a word and a string. */
export function sqlTokens(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const match of sql.matchAll(pattern)) {
    const { blank, word, double, tick, bracket, string, other } = match.groups!;
    if (blank !== undefined) continue;
    const from = match.index;
    const to = from + match[0].length;
    const quoted = double ?? tick ?? bracket;
    if (word !== undefined) tokens.push({ kind: 'word', value: word.toLowerCase(), from, to });
    else if (quoted !== undefined) tokens.push({ kind: 'quoted', value: quoted, from: from + 1, to: to - 1 });
    else if (string !== undefined) tokens.push({ kind: 'string', value: string, from: from + 1, to: to - 1 });
    else tokens.push({ kind: 'other', value: other ?? match[0], from, to });
  }
  return tokens;
}
