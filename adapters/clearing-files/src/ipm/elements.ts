/**
 * The data elements of the clearing messages (ISO 8583, as in IPM files). A number is a fixed
 * length in characters. `LL` and `LLL` are a decimal length of two or three digits before the
 * element, with the longest length that is accepted.
 */
export const element_forms: Readonly<Record<number, number | readonly ['LL' | 'LLL', number]>> = {
  2: ['LL', 19], // number of the card
  3: 6, // processing code
  4: 12, // amount, in the currency of DE49
  5: 12, // amount, in the currency of DE50
  6: 12, // amount, in the currency of DE51
  9: 8, // conversion rate of DE5
  10: 8, // conversion rate of DE6
  12: 12, // local date and time, YYMMDDhhmmss
  14: 4, // expiry
  22: 12, // data of the point of service
  23: 3, // sequence number of the card
  24: 3, // function code
  25: 4, // message reason code
  26: 4, // merchant category code
  30: 24, // original amounts
  31: ['LL', 23], // acquirer reference data
  32: ['LL', 99], // acquiring institution
  33: ['LL', 99], // forwarding institution
  37: 12, // retrieval reference number
  38: 6, // approval code
  40: 3, // service code
  41: 8, // terminal
  42: 15, // card acceptor
  43: ['LL', 99], // name and address of the card acceptor
  48: ['LLL', 999], // additional data: PDS
  49: 3, // currency of DE4
  50: 3, // currency of DE5
  51: 3, // currency of DE6
  54: ['LLL', 999], // additional amounts
  55: ['LLL', 999], // data of the chip, binary
  62: ['LLL', 999], // additional data: PDS
  63: ['LLL', 16], // network reference
  71: 8, // message number
  72: ['LLL', 999], // data record
  73: 6, // date of action
  93: ['LL', 99], // destination institution
  94: ['LL', 99], // originating institution
  95: ['LL', 99], // issuer reference
  100: ['LL', 99], // receiving institution
  105: ['LLL', 999],
  111: ['LLL', 999],
  123: ['LLL', 999], // additional data: PDS
  124: ['LLL', 999], // additional data: PDS
  125: ['LLL', 999], // additional data: PDS
  127: ['LLL', 999], // network data
};

/** The elements that continue one another: their PDS are read as one text, in this order. */
export const pds_elements = [48, 62, 123, 124, 125] as const;

/** MTI (4 bytes) and bitmap (16 bytes). */
export const message_head_bytes = 20;

const element_count = 128;
const unknown = 0;
/** By element: the fixed length; minus the digits of the length; `unknown`. */
const form_of = new Int16Array(element_count + 1);
const length_max_of = new Int16Array(element_count + 1);
for (const [number, form] of Object.entries(element_forms)) {
  form_of[Number(number)] = typeof form === 'number' ? form : -form[0].length;
  length_max_of[Number(number)] = typeof form === 'number' ? form : form[1];
}

/** Why the elements of a record could not be located. */
export interface ElementProblem {
  readonly code: 'record_short' | 'bitmap_malformed' | 'element_unknown' | 'element_malformed' | 'bytes_left_over';
  readonly reason: string;
}

/**
 * The places of the elements in a record. One object serves all records of a file: an allocation
 * per record would cost as much as the reading.
 */
export class ElementMap {
  /** By element: where its content starts in the buffer; -1 when the record does not have it. */
  readonly starts = new Int32Array(element_count + 1).fill(-1);
  readonly ends = new Int32Array(element_count + 1);

  has(element: number): boolean {
    return this.starts[element]! >= 0;
  }

  /**
   * Locates all elements of the record. With a problem, those before the problem are located.
   * `zone` is the high half of the byte of a digit.
   */
  locate(bytes: Buffer, start: number, end: number, zone: number): ElementProblem | null {
    const { starts, ends } = this;
    starts.fill(-1);
    if (end - start < message_head_bytes) {
      return problem('record_short', `the record has ${end - start} bytes, fewer than an MTI and a bitmap`);
    }
    let at = start + message_head_bytes;
    for (let part = 0; part < 4; part += 1) {
      let bits = bytes.readInt32BE(start + 4 + part * 4);
      while (bits !== 0) {
        const bit = Math.clz32(bits);
        bits &= ~(0x80000000 >>> bit);
        const element = part * 32 + bit + 1;
        // The first bit states that the bitmap has 16 bytes.
        if (element === 1) continue;
        let length = form_of[element]!;
        if (length === unknown) {
          return problem('element_unknown', `DE${element} has no known length, so what follows cannot be read`);
        }
        if (length < 0) {
          const digits = -length;
          length = 0;
          for (let digit_at = at; digit_at < at + digits; digit_at += 1) {
            const digit = digit_at < end ? bytes[digit_at]! - zone : -1;
            if (digit < 0 || digit > 9) {
              return problem('element_malformed', `the length of DE${element} is not ${digits} digits`);
            }
            length = length * 10 + digit;
          }
          at += digits;
          if (length > length_max_of[element]!) {
            const length_max = length_max_of[element];
            return problem('element_malformed', `DE${element} has ${length} characters, more than ${length_max}`);
          }
        }
        if (at + length > end) {
          return problem(
            'element_malformed',
            `DE${element} runs ${at + length - end} bytes over the end of the record`,
          );
        }
        starts[element] = at;
        at += length;
        ends[element] = at;
      }
    }
    if ((bytes[start + 4]! & 0x80) === 0) {
      return problem('bitmap_malformed', 'the first bit of the bitmap is not set, as in a bitmap of 8 bytes');
    }
    return at === end ? null : problem('bytes_left_over', `${end - at} bytes follow the last element of the bitmap`);
  }
}

function problem(code: ElementProblem['code'], reason: string): ElementProblem {
  return { code, reason };
}
