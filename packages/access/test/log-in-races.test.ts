import assert from 'node:assert/strict';
import { createPerson, listSessions, logInBySubject, updatePerson } from '@tallystick/access';
import { fixedClock } from '@tallystick/kernel';
import { checkOnStorages } from '@tallystick/test-support';
import { random, sha256 } from './access-storage.ts';

const call = { actor: 'command', request_id: 'r-1', now_ms: 1_700_000_000_000 };
const identity = { issuer: 'https://id.example', subject: 's-1' };

checkOnStorages('a log-in at a provider', [
  {
    rule: 'has no session after the person was disabled meanwhile',
    on_postgres: true,
    async check(open, database) {
      const { unitOfWork, now_ms } = await open();
      const there = await (await open()).another();
      const { id } = await unitOfWork.run((tx) =>
        createPerson(tx, call, { handle: 'anna', name: 'Anna', grants: [], ...identity }),
      );
      const clock = fixedClock(new Date(now_ms).toISOString());
      let disabling: Promise<unknown> | undefined;
      const racing: Pick<typeof unitOfWork, 'run' | 'read'> = {
        read: (work) => unitOfWork.read(work),
        run: (work) =>
          unitOfWork.run((tx) =>
            work({
              ...tx,
              people: {
                ...tx.people,
                async findBySubject(issuer, subject) {
                  const found = await tx.people.findBySubject(issuer, subject);
                  disabling ??= there.unitOfWork.run((other) => updatePerson(other, call, id, { status: 'disabled' }));
                  // On SQLite it waits for the end of the log-in.
                  if (database === 'postgres') await disabling;
                  return found;
                },
              },
            }),
          ),
      };
      await logInBySubject({ unitOfWork: racing, random, sha256, clock, machine: clock }, identity, {
        request_id: 'r-2',
        source_address: null,
      });
      await disabling;
      assert.deepEqual(await unitOfWork.read((tx) => listSessions(tx, id, now_ms)), []);
    },
  },
]);
