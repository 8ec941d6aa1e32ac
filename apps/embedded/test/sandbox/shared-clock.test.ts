import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fixedClock, machine_timers, Refusal } from '@tallystick/kernel';
import { mikroOrmPersistence, type Persistence } from '@tallystick/mikro-orm';
import { database_names, migratedDatabase, type ScratchDatabase, testAuditMac } from '@tallystick/test-support';
import { type ClockWork, createSharedClock } from '../../src/sandbox/shared-clock.ts';

const machine = fixedClock('2030-01-31T12:00:00Z');

for (const name of database_names) {
  describe(`the shared clock on ${name}`, () => {
    let scratch: ScratchDatabase;
    let persistence: Persistence;
    let work: ClockWork;
    before(async () => {
      scratch = await migratedDatabase(name);
      persistence = await mikroOrmPersistence({
        audit_mac: testAuditMac,
        database_url: scratch.database_url,
        clock: machine_timers,
      });
      await persistence.migrate();
      work = persistence.unitOfWork;
    });
    after(async () => {
      await persistence?.close();
      await scratch?.dispose();
    });

    it('shows a move after a refresh, and in the moving process without one', async () => {
      const mover = createSharedClock(machine);
      const other = createSharedClock(machine);
      await mover.move(work, { advance: 'PT1H' });
      assert.equal(mover.nowMs(), Date.parse('2030-01-31T13:00:00Z'));
      assert.equal(other.nowMs(), Date.parse('2030-01-31T12:00:00Z'));
      await other.refresh(work);
      assert.equal(other.nowMs(), Date.parse('2030-01-31T13:00:00Z'));
    });

    it('adds up concurrent moves from several processes', async () => {
      const clocks = Array.from({ length: 3 }, () => createSharedClock(machine));
      const start = (await clocks[0]?.move(work, { advance: 'PT0S' }))?.now_ms;
      assert.ok(start !== undefined);
      const moves = clocks.flatMap((clock) => Array.from({ length: 5 }, () => clock.move(work, { advance: 'PT1S' })));
      const readings = await Promise.all(moves);
      const seconds = readings.map(({ now_ms }) => (now_ms - start) / 1000).sort((a, b) => a - b);
      assert.deepEqual(
        seconds,
        Array.from({ length: 15 }, (_, index) => index + 1),
      );
      await Promise.all(clocks.map((clock) => clock.refresh(work)));
      for (const clock of clocks) assert.equal(clock.nowMs(), start + 15_000);
    });

    it('does not share a read that began before the call', async () => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let reads = 0;
      const slow_once: ClockWork = {
        run: (unit) => work.run(unit),
        async read(unit) {
          const result = await work.read(unit);
          if (reads++ === 0) await held;
          return result;
        },
      };
      const mover = createSharedClock(machine);
      const other = createSharedClock(machine);
      const early = other.refresh(slow_once);
      while (reads === 0) await new Promise((resolve) => setImmediate(resolve));
      const moved = await mover.move(work, { advance: 'PT7M' });
      const late = Promise.all([other.refresh(slow_once), other.refresh(slow_once)]);
      release();
      await early;
      await late;
      assert.equal(other.nowMs(), moved.now_ms);
      assert.equal(reads, 2, 'calls made together share one read');
    });

    it('is not set back by a read that a move has overtaken', async () => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const slow: ClockWork = {
        run: (unit) => work.run(unit),
        async read(unit) {
          const result = await work.read(unit);
          await held;
          return result;
        },
      };
      const clock = createSharedClock(machine);
      await clock.refresh(work);
      const refresh = clock.refresh(slow);
      const moved = await clock.move(work, { advance: 'PT9M' });
      release();
      await refresh;
      assert.equal(clock.nowMs(), moved.now_ms);
    });

    it('never shows a later time than the one at which a move freezes it', async () => {
      let machine_ms = Date.UTC(2090, 0, 1);
      const clock = createSharedClock({ nowMs: () => machine_ms++ });
      await clock.refresh(work);
      let shown_ms = 0;
      const looking: ClockWork = {
        read: (unit) => work.read(unit),
        run: (unit) =>
          work.run(async (tx) => {
            const result = await unit(tx);
            shown_ms = clock.nowMs();
            return result;
          }),
      };
      const moved = await clock.move(looking, { advance: 'PT0S', frozen: true });
      assert.ok(shown_ms <= moved.now_ms, `${shown_ms} was shown before ${moved.now_ms}`);
      await clock.move(work, { frozen: false });
      assert.ok(clock.nowMs() > moved.now_ms, 'it runs again');
    });

    it('does not change when a move is refused', async () => {
      const clock = createSharedClock(machine);
      await clock.refresh(work);
      const before_move = clock.nowMs();
      await assert.rejects(clock.move(work, { advance: '-PT1S' }), Refusal);
      await clock.refresh(work);
      assert.equal(clock.nowMs(), before_move);
    });
  });
}
