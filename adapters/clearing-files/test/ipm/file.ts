/** Elements by number. An element of variable length gets its length by `prefixed`. */
export type Elements = Readonly<Record<number, string>>;

export interface TestMessage {
  readonly mti?: string;
  readonly elements: Elements;
  readonly damage?: (record: Buffer) => Buffer;
}

const two_digit_lengths = [2, 31, 32, 33, 43, 93, 94, 95, 100];
const three_digit_lengths = [48, 54, 55, 62, 63, 72, 105, 111, 123, 124, 125, 127];

export const file_id = '0022607160000001234500001';

export function pds(tag: string, value: string): string {
  return tag + String(value.length).padStart(3, '0') + value;
}

/** The elements of a plain first presentment: 12.34 USD. */
export const presentment: Elements = {
  2: '5555440000000006',
  3: '000000',
  4: '000000001234',
  12: '260714101112',
  24: '200',
  49: '840',
};

/** A record in ASCII, without its length. */
export function recordOf({ mti = '1240', elements, damage = (record) => record }: TestMessage): Buffer {
  const bitmap = Buffer.alloc(16);
  bitmap[0] = 0x80;
  let text = '';
  for (const [number, content] of Object.entries(elements)) {
    const element = Number(number);
    const at = Math.floor((element - 1) / 8);
    bitmap[at] = bitmap[at]! | (0x80 >> ((element - 1) % 8));
    const digits = two_digit_lengths.includes(element) ? 2 : three_digit_lengths.includes(element) ? 3 : 0;
    text += (digits === 0 ? '' : String(content.length).padStart(digits, '0')) + content;
  }
  return damage(Buffer.concat([Buffer.from(mti), bitmap, Buffer.from(text, 'latin1')]));
}

/** Records, each after its length, and the length 0. */
export function vbsOf(records: readonly Buffer[]): Buffer {
  return Buffer.concat([...records.flatMap((record) => [lengthOf(record.length), record]), lengthOf(0)]);
}

export function lengthOf(bytes: number): Buffer {
  const word = Buffer.alloc(4);
  word.writeUInt32BE(bytes);
  return word;
}

/** The bytes in blocks of 1,014. */
export function blocksOf(bytes: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 1_012) {
    const block = Buffer.alloc(1_014, 0x40);
    bytes.copy(block, 0, at, Math.min(at + 1_012, bytes.length));
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

/** What differs from a sound file. */
export interface FileChange {
  readonly header?: Elements | null;
  readonly trailer?: Elements | null;
  readonly sum?: number;
  readonly count?: number;
}

/** The records of a file with its header and trailer. Messages without DE71 are numbered. */
export function recordsOf(messages: readonly TestMessage[], change: FileChange = {}): readonly Buffer[] {
  const sum =
    change.sum ?? messages.reduce((total, { elements }) => total + Number(elements[4]?.replace(/\D/g, '0') ?? 0), 0);
  const count = change.count ?? messages.length + 2;
  const totals = pds('0301', String(sum).padStart(16, '0')) + pds('0306', String(count).padStart(8, '0'));
  const header = { 24: '697', 48: pds('0105', file_id) + pds('0122', 'P'), ...change.header };
  const trailer = { 24: '695', 48: pds('0105', file_id) + totals, ...change.trailer };
  const all: TestMessage[] = [
    ...(change.header === null ? [] : [{ mti: '1644', elements: header }]),
    ...messages,
    ...(change.trailer === null ? [] : [{ mti: '1644', elements: trailer }]),
  ];
  return all.map((message, at) =>
    recordOf({ ...message, elements: { 71: String(at + 1).padStart(8, '0'), ...message.elements } }),
  );
}

/** A VBS file in ASCII. */
export function fileOf(messages: readonly TestMessage[], change?: FileChange): Buffer {
  return vbsOf(recordsOf(messages, change));
}
