import { maskCardNumbers } from '@tallystick/kernel';
import { type CsvProfile, csv_fields, profile_schema, trailer_schema } from './profile.ts';
import { describeIssue, describeUnknownMembers } from './profile-issue.ts';
import { problemsOf } from './profile-problems.ts';

/** Reads a profile. Throws `RangeError` with everything that is wrong. */
export function parseCsvProfile(value: unknown): CsvProfile {
  const parsed = profile_schema.safeParse(value, { error: describeIssue });
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const place = issue.path.join('.') || 'the profile';
      const of_members =
        issue.code === 'unrecognized_keys' ? describeUnknownMembers(issue.keys, membersOf(issue.path)) : null;
      return `${place}: ${of_members ?? issue.message}`;
    });
    throw invalidProfile('the CSV profile', problems);
  }
  const problems = problemsOf(parsed.data);
  if (problems.length > 0) throw invalidProfile(`the CSV profile ${parsed.data.name}`, problems);
  return parsed.data;
}

/**
 * Reads a profile from the text of a JSON file. Skips a byte order mark. Throws `RangeError` with
 * everything that is wrong.
 */
export function parseCsvProfileText(text: string): CsvProfile {
  const json = text.replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new RangeError(maskCardNumbers(`it is no JSON: ${(error as Error).message}`));
  }
  const repeated = findRepeatedMember(json);
  if (repeated !== null)
    throw invalidProfile('the CSV profile', [`it has the member ${JSON.stringify(repeated)} twice`]);
  return parseCsvProfile(value);
}

/** The names of columns are those of the sender, and may contain anything. */
function invalidProfile(profile: string, problems: readonly string[]): RangeError {
  return new RangeError(maskCardNumbers(`${profile} is invalid: ${problems.join('; ')}`));
}

/** The members that the object at this path may have. */
function membersOf([first]: readonly PropertyKey[]): readonly string[] {
  if (first === undefined) return Object.keys(profile_schema.shape);
  return first === 'trailer' ? Object.keys(trailer_schema.shape) : csv_fields;
}

/**
 * A text, or a sign that opens, closes or separates. What is between them in JSON has no meaning
 * here.
 */
const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gs;

/**
 * Returns the name of a member that an object of the JSON has twice, or null. Of such members
 * `JSON.parse` keeps only the last one. The text must be JSON.
 */
function findRepeatedMember(json: string): string | null {
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
