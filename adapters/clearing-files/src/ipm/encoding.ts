/** How a file writes text and digits. Bitmaps and DE55 are binary in both. */
export type IpmEncoding = 'ascii' | 'cp500';

/**
 * The character of each byte of code page 500, the EBCDIC of the files: a permutation of latin-1.
 */
const latin1_of_cp500: Uint8Array = Uint8Array.from(
  Buffer.from(
    '000102039c09867f978d8e0b0c0d0e0f' +
      '101112139d8508871819928f1c1d1e1f' +
      '80818283840a171b88898a8b8c050607' +
      '909116939495960498999a9b14159e1a' +
      '20a0e2e4e0e1e3e5e7f15b2e3c282b21' +
      '26e9eaebe8edeeefecdf5d242a293b5e' +
      '2d2fc2c4c0c1c3c5c7d1a62c255f3e3f' +
      'f8c9cacbc8cdcecfcc603a2340273d22' +
      'd8616263646566676869abbbf0fdfeb1' +
      'b06a6b6c6d6e6f707172aabae6b8c6a4' +
      'b57e737475767778797aa1bfd0dddeae' +
      'a2a3a5b7a9a7b6bcbdbeac7cafa8b4d7' +
      '7b414243444546474849adf4f6f2f3f5' +
      '7d4a4b4c4d4e4f505152b9fbfcf9faff' +
      '5cf7535455565758595ab2d4d6d2d3d5' +
      '30313233343536373839b3dbdcd9da9f',
    'hex',
  ),
);

const cp500_of_latin1 = new Uint8Array(256);
for (const [byte, character] of latin1_of_cp500.entries()) cp500_of_latin1[character] = byte;

/** The high half of the byte of a digit. The low half is the digit, in both encodings. */
export function digitZone(encoding: IpmEncoding): number {
  return encoding === 'ascii' ? 0x30 : 0xf0;
}

/** Writes the bytes of code page 500 as latin-1 to `target`, and returns their number. */
export function copyAsLatin1(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  for (let at = start; at < end; at += 1) target[at - start] = latin1_of_cp500[bytes[at]!]!;
  return end - start;
}

/** The text with a question mark for each character beyond latin-1: neither encoding has it. */
export function toLatin1(text: string): string {
  return text.replace(/[^\0-\xff]/gu, '?');
}

export function encodeText(text: string, encoding: IpmEncoding): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (encoding === 'cp500') {
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = cp500_of_latin1[bytes[at]!]!;
  }
  return bytes;
}

/** The number that the digits state; -1 when a byte is no digit. At most 15 digits. */
export function readDigits(bytes: Uint8Array, start: number, end: number, zone: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = bytes[at]! - zone;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}
