/**
 * A value of the part of YAML that compose.yaml uses: maps, lists of one-line items, and scalars.
 */
export type Yaml = string | readonly Yaml[] | { readonly [name: string]: Yaml };

/**
 * Reads a map with indented maps and lists. Lists in brackets are JSON. Throws on anything else.
 */
export function readYaml(text: string): { readonly [name: string]: Yaml } {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const indentOf = (line: string | undefined): number => line?.search(/\S/) ?? -1;
  let next = 0;

  function readMap(indent: number): Record<string, Yaml> {
    const map: Record<string, Yaml> = {};
    while (indentOf(lines[next]) === indent) {
      const [, name, value] = /^\s*([\w-]+):(?: (.+))?$/.exec(lines[next] as string) ?? [];
      if (name === undefined || name in map) throw new SyntaxError(`unexpected: ${lines[next]}`);
      next += 1;
      map[name] = value === undefined ? readBlock(indent) : readScalar(value);
    }
    return map;
  }

  function readBlock(indent: number): Yaml {
    const inner = indentOf(lines[next]);
    if (inner <= indent) return '';
    if (!lines[next]?.trimStart().startsWith('- ')) return readMap(inner);
    const items: Yaml[] = [];
    while (indentOf(lines[next]) === inner) items.push(readScalar((lines[next++] as string).trim().slice(2)));
    return items;
  }

  const map = readMap(0);
  if (next < lines.length) throw new SyntaxError(`unexpected: ${lines[next]}`);
  return map;
}

function readScalar(text: string): Yaml {
  return /^[["]/.test(text) ? (JSON.parse(text) as Yaml) : text;
}
