import { describe, test } from 'node:test';
import { card_vault_contract, sealer_contract, type VaultGenerations } from '@tallystick/harness';
import { propertyParameters } from '@tallystick/test-support';
import { createVault, KeyRing, type RingKey } from '@tallystick/vault';
import fc from 'fast-check';
import { ringKeys } from './arbitraries.ts';

// Each rule draws numbers and secrets of its own, on each of a few rings.
fc.configureGlobal(propertyParameters());
const rings = propertyParameters({ short: 5, full: 15 });

function generationsOf(keys: readonly RingKey[], rotations: number): VaultGenerations {
  const before = new KeyRing(keys);
  let rotated = before;
  for (let turn = 0; turn < rotations; turn += 1) rotated = rotated.withNewKey();
  const newest_only = new KeyRing([rotated.keys[0]!, { id: 'index', material: rotated.index_material }]);
  return { before: createVault(before), after: createVault(rotated), newest_only: createVault(newest_only) };
}

for (const [port, contract] of Object.entries({ CardVault: card_vault_contract, Sealer: sealer_contract })) {
  describe(port, () => {
    for (const { rule, check } of contract) {
      test(rule, () =>
        fc.assert(
          fc.asyncProperty(ringKeys, fc.integer({ min: 1, max: 3 }), (keys, rotations) =>
            check(async () => generationsOf(keys, rotations)),
          ),
          rings,
        ),
      );
    }
  });
}
