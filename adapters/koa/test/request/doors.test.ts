import assert from 'node:assert/strict';
import { it } from 'node:test';
import { machine_timers } from '@tallystick/kernel';
import { createDoors } from '../../src/request/doors.ts';

it('a door that is full takes no place of another one', async () => {
  const doors = createDoors(16, machine_timers);
  const held = Promise.withResolvers<void>();
  const ending: Promise<void>[] = [];
  const { message_lines, ...others } = doors;
  message_lines.take(null, 12);
  assert.equal(message_lines.mayTake(null), false);
  for (const [name, door] of Object.entries(others)) {
    let inside = 0;
    const hold = (): Promise<void> => {
      inside += 1;
      return held.promise;
    };
    const places = 'run' in door || name === 'message_streams' ? 2 : 16;
    for (let owner = 0; owner < places; owner += 1) {
      ending.push('run' in door ? door.run(`${owner}`, hold) : door.during(null, hold));
    }
    assert.equal(inside, places);
  }
  held.resolve();
  await Promise.all(ending);
});
