import type { StatementKeySetting } from '@tallystick/reconciliation';
import type { Installation, State } from '../../storage/state.ts';

/** Facts that must not change during the life of the storage. The first value of each is kept. */
export interface InstallationStore {
  indexFingerprint(given: string): Promise<string>;
  statementKey(given: StatementKeySetting): Promise<StatementKeySetting>;
}

export function installationStore({ installation }: State): InstallationStore {
  function firstOf<Name extends keyof Installation>(
    name: Name,
    given: NonNullable<Installation[Name]>,
  ): NonNullable<Installation[Name]> {
    const stored = installation.get(1) ?? { index_fingerprint: null, statement_key: null };
    const first = stored[name];
    if (first !== null) return first;
    installation.set(1, { ...stored, [name]: given });
    return given;
  }

  return {
    indexFingerprint: async (given) => firstOf('index_fingerprint', given),
    statementKey: async (given) => firstOf('statement_key', given),
  };
}
