import { type CardVault, Pan } from '@tallystick/cards';
import { assert, type Sealer, toHex } from '@tallystick/kernel';
import fc from 'fast-check';
import { assertEqual, assertFault } from '../assertions.ts';
import { type ContractRule, rule } from '../rule.ts';

/** The vault of one installation with one ring of keys. */
export interface VaultOfRing {
  readonly card_vault: CardVault;
  readonly sealer: Sealer;
  readonly newest_key_id: string;
}

/** The vault of one installation before and after a rotation of its keys. */
export interface VaultGenerations {
  /** With at least one key. */
  readonly before: VaultOfRing;
  /** With a newer key and all keys of `before`. */
  readonly after: VaultOfRing;
  /** With the newer key only. The indexes of numbers, and their codes, stay the same. */
  readonly newest_only: VaultOfRing;
}

/** A number of 12 to 19 digits. */
const pan: fc.Arbitrary<Pan> = fc
  .string({ unit: fc.constantFrom(...'0123456789'), minLength: 12, maxLength: 19 })
  .map((digits) => new Pan(digits));

/** A year and month, YYYY-MM. */
const expiry: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: 2024, max: 2060 }), fc.integer({ min: 1, max: 12 }))
  .map(([year, month]) => `${year}-${String(month).padStart(2, '0')}`);

const purpose: fc.Arbitrary<string> = fc.string({ unit: 'grapheme', maxLength: 40 });
const bytes = fc.uint8Array({ maxLength: 100 });

/** Properties that try every byte of a sealed value have fewer runs. */
const few = { numRuns: 10 };

function latin1(text: Uint8Array): string {
  return String.fromCharCode(...text);
}

function assertOpensToNothingWhenAltered(
  open: (sealed: Uint8Array) => unknown,
  sealed: Uint8Array,
  change: number,
): void {
  for (const at of sealed.keys()) {
    const altered = Uint8Array.from(sealed);
    altered[at] = altered[at]! ^ change;
    assertFault(() => open(altered), `with byte ${at} altered`);
    assertFault(() => open(sealed.slice(0, at)), `cut to ${at} bytes`);
  }
  assertFault(() => open(Uint8Array.from([...sealed, 0])), 'with one more byte');
}

/**
 * The contract of every adapter of `CardVault`. The rules generate numbers with fast-check: its
 * global seed and number of runs apply (`fc.configureGlobal`), and a rule that fails prints its
 * seed.
 */
export const card_vault_contract: readonly ContractRule<VaultGenerations>[] = [
  rule(
    'a sealed number opens to the same number, names the newest key and has the index of the number',
    async ({ before }) => {
      const { card_vault, newest_key_id } = before;
      fc.assert(
        fc.property(pan, (number) => {
          const sealed = card_vault.seal(number);
          assertEqual(card_vault.open(sealed.number_sealed).reveal(), number.reveal(), 'the number');
          assertEqual(sealed.number_key_id, newest_key_id, 'the key');
          assertEqual(sealed.number_index, card_vault.index(number), 'the index');
        }),
      );
    },
  ),
  rule('a sealed number and its index do not contain the number', async ({ before: { card_vault } }) => {
    fc.assert(
      fc.property(pan, (number) => {
        const { number_sealed, number_index } = card_vault.seal(number);
        for (const stored of [number_sealed, number_index])
          assert(!latin1(stored).includes(number.reveal()), 'a stored value contains the number');
      }),
    );
  }),
  rule(
    'a rotation changes neither index nor code, and every number stays readable',
    async ({ before, after, newest_only }) => {
      fc.assert(
        fc.property(pan, expiry, (number, month) => {
          const sealed = before.card_vault.seal(number);
          const reopened = after.card_vault.open(sealed.number_sealed);
          assertEqual(reopened.reveal(), number.reveal(), 'the number');
          const resealed = after.card_vault.seal(reopened);
          const by_newest = newest_only.card_vault.open(resealed.number_sealed);
          assertEqual(by_newest.reveal(), number.reveal(), 'the resealed number');
          for (const { card_vault } of [after, newest_only]) {
            assertEqual(card_vault.index(number), sealed.number_index, 'the index');
            assertEqual(card_vault.cvc(number, month), before.card_vault.cvc(number, month), 'the code');
          }
        }),
      );
    },
  ),
  rule(
    'a number whose key is not in the ring is a fault, and so is a value of the sealer',
    async ({ before, newest_only }) => {
      const number = new Pan('5411234567890000');
      const { number_sealed } = before.card_vault.seal(number);
      assertFault(() => newest_only.card_vault.open(number_sealed), 'sealed by another key');
      for (const what_for of ['', 'card_number', 'number']) {
        const secret = before.sealer.seal(what_for, new TextEncoder().encode(number.reveal()));
        assertFault(() => before.card_vault.open(secret), 'a secret');
      }
    },
  ),
  rule(
    'a sealed number with any byte altered, cut short or lengthened is a fault',
    async ({ before: { card_vault } }) => {
      fc.assert(
        fc.property(pan, fc.integer({ min: 1, max: 255 }), (number, change) => {
          const { number_sealed } = card_vault.seal(number);
          assertOpensToNothingWhenAltered((sealed) => card_vault.open(sealed), number_sealed, change);
        }),
        few,
      );
    },
  ),
  rule('each number has a different index', async ({ before: { card_vault } }) => {
    fc.assert(
      fc.property(pan, pan, (one, two) => {
        const is_same = toHex(card_vault.index(one)) === toHex(card_vault.index(two));
        assertEqual(is_same, one.reveal() === two.reveal(), 'whether the indexes are the same');
      }),
    );
  }),
  rule('a code is three digits, the same each time, and matches only itself', async ({ before: { card_vault } }) => {
    fc.assert(
      fc.property(pan, expiry, fc.string({ maxLength: 5 }), (number, month, guess) => {
        const cvc = card_vault.cvc(number, month);
        assert(/^[0-9]{3}$/.test(cvc), `${cvc.length} characters that are not three digits`);
        assertEqual(card_vault.cvc(number, month), cvc, 'the code again');
        const isMatch = (code: string) => card_vault.cvcMatches(number, month, code);
        assertEqual(isMatch(cvc), true, 'the code');
        assertEqual(isMatch(guess), guess === cvc, 'a guess');
        assertEqual(isMatch(`${cvc}0`), false, 'a longer one');
        assertEqual(isMatch(cvc.slice(0, 2)), false, 'a shorter one');
      }),
    );
  }),
  rule(
    'codes depend on number and expiry, and use every digit at every position',
    async ({ before: { card_vault } }) => {
      const months = Array.from({ length: 3_000 }, (_, at) => {
        return `${2024 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`;
      });
      const numbers = months.map((_, at) => new Pan(`541123456789${String(at).padStart(4, '0')}`));
      const by_month = months.map((month) => card_vault.cvc(numbers[0]!, month));
      const by_number = numbers.map((number) => card_vault.cvc(number, months[0]!));
      // 3,000 random values out of 1,000 contain about 950 distinct ones. Fewer than 900 is not
      // chance.
      for (const codes of [by_month, by_number]) {
        assert(new Set(codes).size > 900, `only ${new Set(codes).size} distinct codes`);
        for (const position of [0, 1, 2])
          assertEqual(new Set(codes.map((code) => code[position])).size, 10, `digits at ${position}`);
      }
    },
  ),
];

/**
 * The contract of every adapter of `Sealer`. The rules generate values like those of
 * `card_vault_contract`.
 */
export const sealer_contract: readonly ContractRule<VaultGenerations>[] = [
  rule('a sealed value opens to the same bytes, for any bytes and purpose', async ({ before: { sealer } }) => {
    fc.assert(
      fc.property(purpose, bytes, (what_for, clear) => {
        assertEqual(Uint8Array.from(sealer.open(what_for, sealer.seal(what_for, clear))), clear, 'the bytes');
      }),
    );
  }),
  rule('a sealed value does not contain the secret', async ({ before: { sealer } }) => {
    fc.assert(
      fc.property(purpose, fc.uint8Array({ minLength: 16, maxLength: 64 }), (what_for, clear) => {
        assert(!latin1(sealer.seal(what_for, clear)).includes(latin1(clear)), 'a sealed value contains the secret');
      }),
    );
  }),
  rule('a sealed value opens for no other purpose', async ({ before: { sealer } }) => {
    fc.assert(
      fc.property(purpose, purpose, bytes, (what_for, other, clear) => {
        fc.pre(what_for !== other);
        const sealed = sealer.seal(what_for, clear);
        assertFault(() => sealer.open(other, sealed), 'another purpose');
      }),
    );
  }),
  rule('a sealed value with any byte altered, cut short or lengthened is a fault', async ({ before: { sealer } }) => {
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 255 }), (clear, change) => {
        const sealed = sealer.seal('secret', clear);
        assertOpensToNothingWhenAltered((altered) => sealer.open('secret', altered), sealed, change);
      }),
      few,
    );
  }),
  rule('bytes that were never sealed are a fault and no other error', async ({ before: { sealer } }) => {
    const head = sealer.seal('secret', new Uint8Array());
    const like_sealed = fc.tuple(fc.nat({ max: head.length - 1 }), bytes);
    const never_sealed = fc.oneof(
      bytes,
      like_sealed.map(([length, rest]) => Uint8Array.from([...head.slice(0, length), ...rest])),
    );
    fc.assert(
      fc.property(never_sealed, (value) => {
        fc.pre(toHex(value) !== toHex(head));
        assertFault(() => sealer.open('secret', value), 'bytes that were never sealed');
        assertEqual(typeof sealer.isCurrent(value), 'boolean', 'the type of isCurrent');
      }),
    );
  }),
  rule(
    'a newer key seals, the older keys still open, and a removed key is a fault',
    async ({ before, after, newest_only }) => {
      fc.assert(
        fc.property(bytes, (clear) => {
          const sealed = before.sealer.seal('secret', clear);
          assertEqual(Uint8Array.from(after.sealer.open('secret', sealed)), clear, 'opened by a later ring');
          assertEqual(before.sealer.isCurrent(sealed), true, 'current before');
          assertEqual(after.sealer.isCurrent(sealed), false, 'current after');
          const resealed = after.sealer.seal('secret', clear);
          assertEqual(after.sealer.isCurrent(resealed), true, 'current when resealed');
          assertEqual(Uint8Array.from(newest_only.sealer.open('secret', resealed)), clear, 'opened by the newest');
          assertFault(() => newest_only.sealer.open('secret', sealed), 'a dropped key');
        }),
      );
    },
  ),
];
