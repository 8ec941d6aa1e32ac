import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Fault, type PasswordHasher, type Random } from '@tallystick/kernel';

const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

/** The work of one hash: memory of 128 · 2^ln · r bytes, p times (RFC 7914). */
interface Work {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MB three times, as OWASP recommends: about a fifth of a second. */
const present_work: Work = { ln: 15, r: 8, p: 3 };

const salt_length = 16;
const hash_length = 32;
const form = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/;

/**
 * Hashes passwords by scrypt, one at a time: guesses from many addresses take neither the memory
 * nor the processors that decisions need. A hash that was made with other work stays valid.
 */
export function createPasswordHasher(random: Pick<Random, 'bytes'>, work = present_work): PasswordHasher {
  let turn: Promise<unknown> = Promise.resolve();
  const nobody = { ...work, salt: Buffer.alloc(salt_length), hash: Buffer.alloc(hash_length) };

  function hashWith(password: string, salt: Uint8Array, { ln, r, p }: Work): Promise<Buffer> {
    const options = { N: 2 ** ln, r, p, maxmem: 2 * 128 * 2 ** ln * r };
    const hashed = turn.then(() => derive(password, salt, hash_length, options));
    turn = hashed.catch(() => undefined);
    return hashed;
  }

  return {
    async hash(password) {
      const salt = random.bytes(salt_length);
      const hash = await hashWith(password, salt, work);
      const { ln, r, p } = work;
      return `$scrypt$ln=${ln},r=${r},p=${p}$${toText(salt)}$${toText(hash)}`;
    },
    async verify(password, stored) {
      const { salt, hash, ...parameters } = stored === null ? nobody : parse(stored);
      const is_same = timingSafeEqual(await hashWith(password, salt, parameters), hash);
      return is_same && stored !== null;
    },
  };
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

function parse(text: string) {
  const [, ln, r, p, salt, hash] = form.exec(text) ?? [];
  if (salt === undefined || hash === undefined) throw new Fault('not the hash of a password', { retryable: false });
  return {
    ...{ ln: Number(ln), r: Number(r), p: Number(p) },
    ...{ salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') },
  };
}
