import type { BookingSign } from '@tallystick/accounts';

type CodeOfSign = Readonly<Record<BookingSign, string>>;

const card: CodeOfSign = { debit: '821', credit: '822' };
const card_refund: CodeOfSign = { debit: '821', credit: '824' };
const atm: CodeOfSign = { debit: '595', credit: '295' };
const transfer: CodeOfSign = { debit: '495', credit: '195' };
const sepa_transfer: CodeOfSign = { debit: '828', credit: '827' };
const foreign_transfer: CodeOfSign = { debit: '508', credit: '208' };
const internal_transfer: CodeOfSign = { debit: '506', credit: '206' };
const direct_debit: CodeOfSign = { debit: '501', credit: '836' };
const cheque: CodeOfSign = { debit: '475', credit: '835' };
const returned: CodeOfSign = { debit: '566', credit: '266' };
const fee: CodeOfSign = { debit: '698', credit: '398' };
const interest: CodeOfSign = { debit: '654', credit: '354' };
const reversal: CodeOfSign = { debit: '552', credit: '252' };
const miscellaneous: CodeOfSign = { debit: '699', credit: '399' };

/** By the three characters of the type of `:61:`: those of the network, and two of a Dutch bank. */
const by_type: ReadonlyMap<string, CodeOfSign> = new Map([
  ...each(['TRF', 'STO'], transfer),
  ...each(['CMI', 'CMN', 'CMS', 'CMT', 'CMZ'], internal_transfer),
  ...each(['DDT'], direct_debit),
  ...each(['CHK'], cheque),
  ...each(['RTI'], returned),
  ...each(['CHG', 'COM', 'BRF'], fee),
  ...each(['INT'], interest),
  ...each(['BA'], card),
  ...each(['GM'], atm),
]);

/** By the German business transaction code (GVC) with which a structured `:86:` begins. */
const by_gvc: ReadonlyMap<string, CodeOfSign> = new Map([
  ...each(['106', '190'], card),
  ...each(['182'], card_refund),
  ...each(['116', '117', '118', '119', '177', '188', '191'], sepa_transfer),
  ...each(['152', '153', '154', '155', '156', '157', '166', '167', '168', '169', '189', '194'], sepa_transfer),
  ...each(['104', '105', '107', '181', '184', '195', '197'], direct_debit),
  ...each(['201', '202'], foreign_transfer),
  ...each(['820', '833'], internal_transfer),
  ...each(['801', '805', '806', '807', '808', '809'], fee),
  ...each(['814'], interest),
]);

/** What a line states of its kind. */
export interface StatedKind {
  /** The letter and three characters of `:61:`, or fewer. */
  readonly type: string;
  /** A reversal (RC, RD). */
  readonly is_reversal: boolean;
  /** The code of BAI in `:86:`; null: none. */
  readonly bai_code: string | null;
  /** The German code in `:86:`; null: none. */
  readonly gvc: string | null;
}

/**
 * The BAI code of a line: the one that it states; else by its German code, as a reversal, or by its
 * type; else the miscellaneous one. A card purchase is known by its German code, or by the type of
 * a bank that has one: the network's types have none for cards.
 */
export function baiCodeOf({ type, is_reversal, bai_code, gvc }: StatedKind, sign: BookingSign): string {
  if (bai_code !== null) return bai_code;
  const kind =
    by_gvc.get(gvc ?? '') ??
    (is_reversal ? reversal : /^S1\d\d$/.test(type) ? foreign_transfer : by_type.get(type.slice(1).trim()));
  return (kind ?? miscellaneous)[sign];
}

function each(keys: readonly string[], code: CodeOfSign): readonly (readonly [string, CodeOfSign])[] {
  return keys.map((key) => [key, code]);
}
