import { isApprovalCode, isMcc, isNetworkText } from '@tallystick/cards';
import type { FileClearing } from '@tallystick/imports';

/**
 * Reads what a record states beside its posted money. An addition that is not stated is null. One
 * that cannot be read is null and named: it keeps no posted money from its card.
 */
export class Additions {
  readonly #unread: string[] = [];

  /** What is left out, for a clearing. */
  get omissions(): Pick<FileClearing, 'unread'> {
    return this.#unread.length === 0 ? {} : { unread: this.#unread };
  }

  read<Value>(name: string, stated: string | null, parse: (text: string) => Value | null): Value | null {
    if (stated === null) return null;
    const value = parse(stated);
    if (value === null) this.omit(name);
    return value;
  }

  omit(name: string): void {
    this.#unread.push(name);
  }

  text(name: string, stated: string | null): string | null {
    return this.read(name, stated, (text) => (isNetworkText(text) ? text : null));
  }

  /** A spreadsheet removes the zeros at the beginning. */
  mcc(stated: string | null): string | null {
    return this.read('mcc', notZeros(stated), (text) => (isMcc(text.padStart(4, '0')) ? text.padStart(4, '0') : null));
  }

  approvalCode(stated: string | null): string | null {
    return this.read('approval_code', notZeros(stated), (text) => (isApprovalCode(text) ? text : null));
  }

  /** A decimal number, such as `1.0834` or `.5`. */
  exchangeRate(stated: string | null): string | null {
    return this.read('exchange_rate', notZeros(stated), (text) => {
      const found = /^(\d{0,12})(\.\d{0,30})?$/.exec(text);
      return found === null ? null : `${found[1] || '0'}${found[2] === '.' ? '' : (found[2] ?? '')}`;
    });
  }
}

/** Blanks state nothing, and neither do zeros alone: no code, no date (`00/00/0000`), no rate. */
export function notZeros(text: string | null): string | null {
  if (text === null || text.trim() === '') return null;
  return text.includes('0') && /^[0 .:/-]*$/.test(text) ? null : text;
}
