import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Fault } from '@tallystick/kernel';
import { machine_random } from '../src/machine-random.ts';
import { createPasswordHasher } from '../src/password-hash.ts';

const cheap = { ln: 4, r: 8, p: 1 };

it('a password matches its own hash only, and the hash of nobody never', async () => {
  const { hash, verify } = createPasswordHasher(machine_random, cheap);
  const [first, second] = [await hash('correct horse'), await hash('correct horse')];
  assert.notEqual(first, second);
  assert.equal(await verify('correct horse', first), true);
  assert.equal(await verify('correct horse ', first), false);
  assert.equal(await verify('correct horse', null), false);
  await assert.rejects(verify('correct horse', 'correct horse'), Fault);
});

it('a hash stays valid after its parameters have changed', async () => {
  const stored = await createPasswordHasher(machine_random, cheap).hash('correct horse');
  assert.match(stored, /^\$scrypt\$ln=4,r=8,p=1\$/);
  const newer = createPasswordHasher(machine_random);
  assert.equal(await newer.verify('correct horse', stored), true);
  assert.match(await newer.hash('correct horse'), /^\$scrypt\$ln=15,r=8,p=3\$/);
});
