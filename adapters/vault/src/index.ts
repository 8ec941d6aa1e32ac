export type { DeriveCvc } from './card-verification-code.ts';
export { createKeyRingText, KeyRing, parseKeyRing, type RingKey } from './key-ring.ts';
export { machine_random } from './machine-random.ts';
export type { SigningKey } from './oauth-keys.ts';
export { createPasswordHasher } from './password-hash.ts';
export { createVault, type Vault, type VaultPorts } from './vault.ts';
