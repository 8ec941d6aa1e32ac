import { type XmlPart, XmlTextReader } from '../../src/index.ts';

/** The parts of a file that comes in chunks of these lengths, in turn. */
export function partsOf(bytes: Uint8Array, lengths: readonly number[] = [bytes.length]): readonly XmlPart[] {
  const reader = new XmlTextReader();
  const parts: XmlPart[] = [];
  for (let at = 0, nth = 0; at < bytes.length; nth += 1) {
    const length = lengths[nth % lengths.length]!;
    parts.push(...reader.push(bytes.subarray(at, at + length)));
    at += length;
  }
  return parts;
}
