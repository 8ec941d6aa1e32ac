import { setTimeout as delay } from 'node:timers/promises';
import type { Formats, ImportPorts } from '@tallystick/imports';
import type { Clock } from '@tallystick/kernel';
import type { Persistence } from '@tallystick/mikro-orm';
import type { Vault } from '@tallystick/vault';
import { machine_clock } from '../sandbox/shared-clock.ts';
import type { Settings } from './settings.ts';

/** The ports of imports on this database. Test files are accepted only in a sandbox. */
export function createImportPorts(
  { sandbox }: Pick<Settings, 'sandbox'>,
  { unitOfWork, ledger, giveWay }: Pick<Persistence, 'unitOfWork' | 'ledger' | 'giveWay'>,
  { card_vault, random, sealer, sha256, createSha256 }: Vault,
  clock: Clock,
  formats: Formats,
): ImportPorts {
  return {
    unitOfWork,
    ledger,
    formats,
    vault: card_vault,
    random,
    sealer,
    sha256,
    createSha256,
    clock,
    machine_clock,
    pause: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
    monotonicNow: () => performance.now(),
    giveWay,
    is_production: !sandbox,
  };
}
