/**
 * A text, or a sign that opens, closes or separates. What is between them in JSON has no meaning
 * here.
 */
const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gs;

/**
 * The name of a member that an object of the JSON has twice; null when there is none. Of such
 * members `JSON.parse` keeps the last one only. The text must be JSON.
 */
export function findRepeatedMember(json: string): string | null {
  const open: Set<string>[] = [];
  let last_text = '';
  for (const [found] of json.matchAll(token)) {
    if (found === '{' || found === '[') open.push(new Set());
    else if (found === '}' || found === ']') open.pop();
    else if (found === ':') {
      const name = JSON.parse(last_text) as string;
      const names = open.at(-1)!;
      if (names.has(name)) return name;
      names.add(name);
    } else if (found !== ',') last_text = found;
  }
  return null;
}
