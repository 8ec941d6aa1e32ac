import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesOf, fileOf, type Line, line_format } from '@tallystick/harness';
import { Fault, Refusal } from '@tallystick/kernel';
import {
  type ClearingFormat,
  createFormats,
  type FileItem,
  FileProblem,
  type ImportPorts,
  type ImportProgress,
  ImportStopped,
  import_lease_ms,
  importFile,
  listImportQuarantine,
  listImportStatements,
  listOtherRecords,
  previewFile,
  readImport,
  replayImport,
  resealImports,
} from '../../src/index.ts';
import { clearingLine, type ImportWorld, newWorld, sourceOf } from '../world.ts';

type Records = Parameters<typeof fileOf>[0];

async function clearings(world: ImportWorld, count: number): Promise<Records> {
  const card = await world.makeCard();
  return Array.from({ length: count }, () => clearingLine(card)) as Records;
}

/** Clearings of a card that does not exist. */
function unknownClearings(count: number): Records {
  return Array.from({ length: count }, () => clearingLine({ id: 999_999_999 })) as Records;
}

describe('the format of a file', () => {
  test('that does not exist is refused with the nearest name', async () => {
    const world = newWorld();
    const error = await world.import(fileOf([]), { format: 'line' }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Refusal);
    assert.equal(error.message, 'format must be one of lines; did you mean lines?');
  });

  test('that lacks the profile is refused with those that it has', async () => {
    const world = newWorld();
    for (const [profiles, message] of [
      [[], 'profile must be absent: lines has none'],
      [['bank', 'shop'], 'profile must be one of bank, shop'],
    ] as const) {
      const ports = { formats: createFormats([{ ...line_format, profiles }]) };
      const error = await world.import(fileOf([]), { ports, profile: 'other' }).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Refusal);
      assert.equal(error.message, message);
    }
  });

  test('that is not recognised makes a refused import', async () => {
    const world = newWorld();
    const source = sourceOf(new TextEncoder().encode('no JSON'));
    const { import: refused } = await importFile(world.ports(), world.call, source);
    assert.equal(refused.status, 'refused');
    assert.deepEqual([refused.format, refused.problem?.code, refused.bytes], ['unknown', 'format_unknown', 7]);
  });

  test('that is empty is truncated, in an import and in a preview', async () => {
    for (const is_repeatable of [true, false]) {
      const world = newWorld();
      const source = sourceOf(new Uint8Array(), { is_repeatable });
      const { import: empty } = await importFile(world.ports(), world.call, source);
      const preview = await previewFile(world.ports(), source, {}, () => {});
      for (const { status, problem } of [empty, preview]) {
        assert.deepEqual([status, problem?.code], ['truncated', 'file_truncated']);
      }
    }
  });
});

test('an import that skips staged records reports its progress, and can be stopped', async () => {
  const world = newWorld();
  const lines = fileOf(await clearings(world, 60));
  const stopAfter = async (batches: number): Promise<readonly ImportProgress[]> => {
    const stopping = new AbortController();
    const seen: ImportProgress[] = [];
    const onProgress = (progress: ImportProgress) => {
      if (progress.phase === 'staging') seen.push(progress);
      if (seen.length === batches) stopping.abort();
    };
    await assert.rejects(world.import(lines, { onProgress, signal: stopping.signal }), ImportStopped);
    return seen;
  };
  const staged = (await stopAfter(20)).at(-1)!;
  const [skipped] = await stopAfter(1);
  assert.ok(skipped!.records < staged.records, `${skipped!.records} of ${staged.records} records`);
  assert.equal(skipped!.is_repeated, true);
  const [resumed, repeated]: [number[], boolean[]] = [[], []];
  const ended = await world.imported(lines, {
    onResumed: ({ records }) => resumed.push(records),
    onProgress: ({ phase, is_repeated = false }) => phase === 'staging' && repeated.push(is_repeated),
  });
  assert.equal(ended.applied, 60);
  assert.deepEqual(resumed, [staged.records]);
  assert.deepEqual(new Set(repeated), new Set([true, false]));
});

test('a file that is changed while it is read is refused, and applies nothing', async () => {
  const world = newWorld();
  const records = await clearings(world, 3);
  let readings = 0;
  const { import: refused } = await importFile(
    world.ports(),
    world.call,
    sourceOf(new Uint8Array(), {
      async *open() {
        readings += 1;
        yield bytesOf(fileOf(records, { file_id: `reading ${readings}` }));
      },
    }),
  );
  assert.deepEqual([refused.status, refused.problem?.code, refused.applied], ['refused', 'file_changed', 0]);
});

describe('a batch whose pass fails', () => {
  const failing = (world: ImportWorld, fail: (attempt: number) => 'before' | 'after' | null): Partial<ImportPorts> => {
    const { ledger } = world.storage;
    let attempt = 0;
    return {
      ledger: {
        ...ledger,
        async pass(messages, fold, bounds) {
          attempt += 1;
          const when = fail(attempt);
          if (when === 'before') throw new Fault('busy', { retryable: true });
          const result = await ledger.pass(messages, fold, bounds);
          if (when === 'after') throw new Fault('the connection was lost', { retryable: true });
          return result;
        },
      },
    };
  };

  test('because the database is busy is tried again', async () => {
    const world = newWorld();
    const lines = fileOf(await clearings(world, 3));
    const ports = failing(world, (attempt) => (attempt < 4 ? 'before' : null));
    assert.deepEqual((await world.imported(lines, { ports })).applied, 3);
  });

  test('after its commit is not applied twice', async () => {
    const world = newWorld();
    const lines = fileOf(await clearings(world, 3));
    const ports = failing(world, (attempt) => (attempt === 1 ? 'after' : null));
    const { applied, duplicates, status } = await world.imported(lines, { ports });
    assert.deepEqual({ applied, duplicates, status }, { applied: 3, duplicates: 0, status: 'completed' });
  });

  test('again and again leaves the import to be continued', async () => {
    const world = newWorld();
    const lines = fileOf(await clearings(world, 3));
    await assert.rejects(world.import(lines, { ports: failing(world, () => 'before') }), /busy/);
    assert.deepEqual((await world.imported(lines)).applied, 3);
  });
});

test('the claim is renewed while the bytes of a slow source are awaited', async () => {
  const world = newWorld();
  const lines = fileOf(await clearings(world, 60));
  const bytes = bytesOf(lines);
  const renewed = Promise.withResolvers<void>();
  const pauses: PromiseWithResolvers<void>[] = [];
  // The timer of the claim waits a second time once it has renewed the claim.
  const pause = (ms: number): Promise<void> => {
    if (ms !== import_lease_ms / 3) return Promise.resolve();
    const one = Promise.withResolvers<void>();
    pauses.push(one);
    if (pauses.length === 2) renewed.resolve();
    return one.promise;
  };
  const until = async () => {
    const { items } = await world.storage.unitOfWork.read(({ imports }) => imports.list({}, { limit: 1 }));
    return items[0]?.lease?.until_machine_ms;
  };
  const { import: ended } = await world.import(lines, {
    ports: { pause, batch_records_max: 1_000 },
    source: {
      is_repeatable: false,
      async *open() {
        yield bytes.subarray(0, bytes.length - 10);
        world.machine_ms += import_lease_ms / 2;
        pauses[0]!.resolve();
        await renewed.promise;
        assert.equal(await until(), world.machine_ms + import_lease_ms);
        yield bytes.subarray(bytes.length - 10);
      },
    },
  });
  assert.equal(ended.status, 'completed');
});

test('no part of an import shows a card number', async () => {
  const world = newWorld();
  const number = '5555555555554444';
  const records = [
    { kind: 'bad', input: { card_number: number, merchant_name: `Diner ${number}` } },
    clearingLine({ id: 1 }, { card_number: number, merchant_id: number }),
    clearingLine({ id: 999 }, { merchant_name: `5555 5555 5555 4444 Diner`, billing_currency: `${number}` }),
  ] as unknown as Records;
  const ended = await world.imported(fileOf(records));
  assert.equal(ended.quarantined, 3);
  const page = await world.storage.unitOfWork.read((tx) => listImportQuarantine(tx, ended.id, { limit: 10 }));
  const shown = page.items.map(({ message_sealed, identity_sha256, ...record }) => record);
  assert.doesNotMatch(JSON.stringify([ended, shown]).replaceAll(' ', ''), /5555555555554444/);
});

test('an excerpt of a record in EBCDIC shows no digit of a card number', async () => {
  const world = newWorld();
  const raw = Uint8Array.from('5555555555554444', (digit) => 0xf0 + Number(digit));
  const format: ClearingFormat = {
    ...line_format,
    async *read(chunks) {
      for await (const { items, bytes } of line_format.read(chunks)) {
        yield { items: items.map((item) => (item.kind === 'bad' ? { ...item, raw } : item)), bytes };
      }
    },
  };
  const { id } = await world.imported(fileOf([{ kind: 'bad' }]), { ports: { formats: createFormats([format]) } });
  const page = await world.storage.unitOfWork.read((tx) => listImportQuarantine(tx, id, { limit: 10 }));
  assert.deepEqual(page.items[0]?.excerpt, { code: 'line_bad', record: '.'.repeat(16) });
});

test('a file id that cannot be stored makes the file refused, in an import and in a preview', async () => {
  const world = newWorld();
  const lines = fileOf(await clearings(world, 1), { file_id: 'F\0' });
  const preview = await previewFile(world.ports(), sourceOf(bytesOf(lines)), {}, () => {});
  const refused = await world.imported(lines);
  for (const { status, problem, applied } of [preview, refused]) {
    assert.deepEqual([status, problem?.code], ['refused', 'header_malformed']);
    assert.equal(applied, 0);
  }
});

test('a preview of a file that is refused at its end counts nothing as applied', async () => {
  const world = newWorld();
  const lines = [...fileOf(await clearings(world, 3)).slice(0, -1), { kind: 'trailer', records: 9 } as const];
  const outcomes: string[] = [];
  const source = sourceOf(bytesOf(lines));
  const preview = await previewFile(world.ports(), source, {}, ({ outcome }) => outcomes.push(outcome));
  assert.deepEqual([preview.status, preview.applied, preview.breaks], ['refused', 0, 0]);
  assert.ok(outcomes.length > 0);
});

test('a preview reads no record after so many bytes, and shows whether it has read all', async () => {
  const world = newWorld();
  const bytes = bytesOf(fileOf(await clearings(world, 60)));
  const previewOf = (bytes_max: number) => previewFile(world.ports(), sourceOf(bytes), { bytes_max }, () => {});
  const part = await previewOf(bytes.length / 2);
  assert.deepEqual([part.is_whole, part.status], [false, 'completed']);
  assert.ok(part.applied > 0 && part.applied < 60, `${part.applied} records`);
  const whole = await previewOf(bytes.length);
  assert.deepEqual([whole.is_whole, whole.status, whole.applied], [true, 'completed', 60]);
});

test('a refused file has as many records as its format has read, in an import and in a preview', async () => {
  const world = newWorld();
  const format: ClearingFormat = {
    ...line_format,
    async *read(chunks) {
      yield* line_format.read(chunks);
      throw Object.assign(new FileProblem('refused', 'sum_differs', 'the sum differs', null), { records: 77 });
    },
  };
  const lines = fileOf(await clearings(world, 3));
  const ports = { formats: createFormats([format]) };
  const preview = await previewFile(world.ports(ports), sourceOf(bytesOf(lines)), {}, () => {});
  const refused = await world.imported(lines, { ports });
  for (const { status, records } of [preview, refused]) assert.deepEqual([status, records], ['refused', 77]);
});

test('parts of clearings count to the other records, and are not waited for, in an import and in a preview', async () => {
  const world = newWorld();
  const format: ClearingFormat = {
    ...line_format,
    async *read(chunks) {
      for await (const { items, bytes } of line_format.read(chunks)) {
        const more = { part_records: { fee: 1, acceptor: 3 } };
        yield { items: items.map((item) => (item.kind === 'end' ? { ...item, records: 9, ...more } : item)), bytes };
      }
    },
  };
  const records = [...(await clearings(world, 3)), { kind: 'other', type: 'fee' } as const];
  const ports = { formats: createFormats([format]) };
  const preview = await previewFile(world.ports(ports), sourceOf(bytesOf(fileOf(records))), {}, () => {});
  const totals = new Set<number | null>();
  const imported = await world.imported(fileOf(records), {
    ports,
    onProgress: ({ phase, records_total }) => phase === 'applying' && totals.add(records_total),
  });
  for (const { other_records } of [preview, imported]) assert.deepEqual(other_records, { fee: 2, acceptor: 3 });
  assert.deepEqual([...totals], [4]);
});

test('a preview of several batches warns that each is shown without the effects of the others', async () => {
  const world = newWorld();
  for (const [count, warnings] of [
    [2, 0],
    [3, 1],
  ] as const) {
    const source = sourceOf(bytesOf(fileOf(await clearings(world, count))));
    let turns = 0;
    const rest = async () => {
      turns += 1;
    };
    const ports = world.ports({ batch_records_max: 2, rest });
    const preview = await previewFile(ports, source, {}, () => {});
    assert.deepEqual([preview.status, preview.applied, preview.warnings.length], ['completed', count, warnings]);
    assert.equal(turns, warnings + 1, 'others have their turn after each batch');
  }
});

test('progress rises through reading, staging and applying, and others have their turn after each batch', async () => {
  const world = newWorld();
  const lines = fileOf(await clearings(world, 5));
  const seen: ImportProgress[] = [];
  let turns = 0;
  let now = 0;
  await world.import(lines, {
    onProgress: (progress) => seen.push(progress),
    ports: {
      monotonicNow: () => {
        now += 7;
        return now;
      },
      async rest(busy_ms) {
        turns += 1;
        assert.ok(busy_ms > 0);
      },
    },
  });
  const { length: bytes } = bytesOf(lines);
  assert.deepEqual([...new Set(seen.map(({ phase }) => phase))], ['reading', 'staging', 'applying']);
  const applying = seen.filter(({ phase }) => phase === 'applying');
  assert.deepEqual(
    applying.map(({ records, records_total, bytes_total }) => [records, records_total, bytes_total]),
    [
      [2, 7, bytes],
      [4, 7, bytes],
      [5, 7, bytes],
    ],
  );
  assert.equal(turns, 6);
});

test('other work of the process has its turn after each record that is read', async () => {
  const world = newWorld();
  const lines = fileOf(await clearings(world, 50));
  let turns = 0;
  const giveWay = () => {
    turns += 1;
    return undefined;
  };
  const in_one_chunk = {
    is_repeatable: false,
    async *open() {
      yield bytesOf(lines);
    },
  };
  await world.import(lines, { source: in_one_chunk, ports: { giveWay, batch_records_max: 1_000 } });
  assert.ok(turns >= lines.length, `${turns} turns while ${lines.length} records are read`);
});

/** Ports whose passes wait for a minute before they hold anything, and the records of each pass. */
function waitingBeforePasses({ storage: { ledger } }: ImportWorld) {
  const sizes: number[] = [];
  let now_ms = 0;
  const waiting: typeof ledger = {
    ...ledger,
    pass(messages, fold, bounds) {
      sizes.push(messages.length);
      now_ms += 60_000;
      return ledger.pass(messages, fold, bounds);
    },
  };
  return { ports: { ledger: waiting, monotonicNow: () => now_ms }, sizes };
}

test('a pass that waited before it held anything makes the next no smaller', async () => {
  const world = newWorld();
  const lines = fileOf(await clearings(world, 250));
  const { ports, sizes } = waitingBeforePasses(world);
  await world.import(lines, {
    ports: { ...ports, batch_records_max: 250 },
  });
  assert.deepEqual(sizes, [100, 100, 50]);
});

test('a replay that waited before it held anything takes no fewer records at once', async () => {
  const world = newWorld();
  const { id, quarantined } = await world.imported(fileOf(unknownClearings(250)), {
    ports: { batch_records_max: 250 },
  });
  assert.equal(quarantined, 250);
  const { ports, sizes } = waitingBeforePasses(world);
  await replayImport(world.ports(ports), world.call, id);
  assert.deepEqual(sizes, [100, 100, 50]);
});

test('a replay that fails is in the audit log with what it did', async () => {
  const world = newWorld();
  const { id } = await world.imported(fileOf(unknownClearings(101)), { ports: { batch_records_max: 101 } });
  const { ledger, unitOfWork } = world.storage;
  let passes = 0;
  const failing: typeof ledger = {
    ...ledger,
    async pass(messages, fold, bounds) {
      passes += 1;
      if (passes === 2) throw new Fault('the database is away', { retryable: true });
      return await ledger.pass(messages, fold, bounds);
    },
  };
  await assert.rejects(replayImport(world.ports({ ledger: failing }), world.call, id), /the database is away/);
  const { items } = await unitOfWork.read(({ audit }) => audit.list({ object: `import:${id}` }, { limit: 10 }));
  assert.deepEqual(
    items.map(({ action, details }) => [action, details.refused]),
    [['import.replayed', 100]],
  );
});

test('a preview passes as many records at once as an import, so that others wait no longer for it', async () => {
  const world = newWorld();
  const source = sourceOf(bytesOf(fileOf(await clearings(world, 250))));
  const { ledger } = world.storage;
  const sizesOf = async (work: (ports: ImportPorts) => Promise<unknown>) => {
    const sizes: number[] = [];
    let now_ms = 0;
    const slow: typeof ledger = {
      ...ledger,
      async pass(messages, fold, bounds) {
        sizes.push(messages.length);
        now_ms += 60_000;
        bounds?.onHolding?.();
        now_ms += 5 * messages.length;
        return await ledger.pass(messages, fold, { is_of_file: true });
      },
    };
    await work(world.ports({ ledger: slow, monotonicNow: () => now_ms, batch_records_max: 1_000 }));
    return sizes;
  };
  const shown: number[] = [];
  const previewed = await sizesOf(async (ports) => {
    const { applied, warnings } = await previewFile(ports, source, {}, ({ ordinal }) => shown.push(ordinal));
    assert.deepEqual([applied, warnings.length], [250, 1]);
  });
  assert.deepEqual(previewed, [100, 30, 30, 30, 30, 30]);
  assert.deepEqual(
    shown,
    Array.from({ length: 250 }, (_, at) => at + 2),
  );
  assert.deepEqual(await sizesOf((ports) => importFile(ports, world.call, source)), previewed);
});

test('a preview stops after the pass in progress', async () => {
  const world = newWorld();
  const source = sourceOf(bytesOf(fileOf(await clearings(world, 250))));
  const { ledger } = world.storage;
  const stopping = new AbortController();
  let passes = 0;
  const stopped: typeof ledger = {
    ...ledger,
    pass(messages, fold, bounds) {
      passes += 1;
      stopping.abort();
      return ledger.pass(messages, fold, bounds);
    },
  };
  const ports = world.ports({ ledger: stopped, batch_records_max: 1_000 });
  const { signal } = stopping;
  await assert.rejects(
    previewFile(ports, source, { signal }, () => assert.fail('no record is shown')),
    ImportStopped,
  );
  assert.equal(passes, 1);
});

test('a rotation of keys seals staged batches again', async () => {
  const world = newWorld();
  const records = await clearings(world, 5);
  const held = await world.imported(fileOf(records, { mode: 'test' }));
  assert.equal(held.status, 'held');
  const { unitOfWork } = world.storage;
  const newer = {
    seal: (_purpose: string, clear: Uint8Array) => new Uint8Array([1, ...clear]),
    open: (_purpose: string, sealed: Uint8Array) => (sealed[0] === 1 ? sealed.subarray(1) : sealed),
    isCurrent: (sealed: Uint8Array) => sealed[0] === 1,
  };
  assert.equal(await resealImports({ unitOfWork, sealer: newer }), 3);
  assert.equal(await resealImports({ unitOfWork, sealer: newer }), 0);
  const ports = { sealer: newer, is_production: false };
  assert.deepEqual((await world.imported(fileOf(records, { mode: 'test' }), { ports })).applied, 5);
});

describe('a replay', () => {
  test('without the profile of the import is refused, and names the profile', async () => {
    const world = newWorld();
    const profiled = { ...line_format, profiles: ['bank'] };
    const ports = { formats: createFormats([profiled]) };
    const { id } = await world.imported(fileOf([{ kind: 'bad' }]), { ports, profile: 'bank' });
    const error = await replayImport(world.ports(), world.call, id).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Refusal);
    const message = `import ${id} was read with the profile bank, which is not configured here`;
    assert.deepEqual([error.code, error.message], ['conflict', message]);
    assert.equal((await replayImport(world.ports(ports), world.call, id)).quarantined, 1);
  });
});

test('records that are no clearings are kept with their import', async () => {
  const world = newWorld();
  const others: Line[] = [
    { kind: 'other', type: 'fee' },
    { kind: 'other', type: 'total' },
    { kind: 'other', type: 'fee' },
  ];
  const { id, other_records } = await world.imported(fileOf(others as Records));
  assert.deepEqual(other_records, { fee: 2, total: 1 });
  const kept = await listOtherRecords(world.ports(), id);
  assert.deepEqual(
    kept.map(({ ordinal, type, excerpt }) => [ordinal, type, JSON.parse(excerpt)]),
    [
      [2, 'fee', others[0]],
      [3, 'total', others[1]],
      [4, 'fee', others[2]],
    ],
  );
});

test('a record that is no clearing is only counted when its format keeps no bytes of it', async () => {
  const world = newWorld();
  const withoutBytes = (item: FileItem): FileItem => {
    if (item.kind !== 'other') return item;
    const { raw, ...counted } = item;
    return counted;
  };
  const counting: ClearingFormat = {
    ...line_format,
    async *read(chunks) {
      for await (const { items, bytes } of line_format.read(chunks)) {
        yield { items: items.map(withoutBytes), bytes };
      }
    },
  };
  const lines = fileOf([{ kind: 'other', type: 'fee' }]);
  const { id, other_records } = await world.imported(lines, { ports: { formats: createFormats([counting]) } });
  assert.deepEqual(other_records, { fee: 1 });
  assert.deepEqual(await world.storage.unitOfWork.read(({ imports }) => imports.batches(id, 'others', 0, 10)), []);
});

test('what belongs to an import that does not exist is not found', async () => {
  const ports = newWorld().ports();
  const page = { limit: 1 };
  for (const list of [
    () => ports.unitOfWork.read((tx) => readImport(tx, 9)),
    () => ports.unitOfWork.read((tx) => listImportQuarantine(tx, 9, page)),
    () => ports.unitOfWork.read((tx) => listImportStatements(tx, { import_id: 9 }, page)),
    () => listOtherRecords(ports, 9),
  ]) {
    await assert.rejects(list, (error) => error instanceof Refusal && error.code === 'not_found');
  }
});

test('a format of a host is used like those of the product', async () => {
  const world = newWorld();
  const own = { ...line_format, name: 'own' };
  const ports = { formats: createFormats([line_format, own]) };
  const { format } = await world.imported(fileOf(await clearings(world, 1)), { ports, format: 'own' });
  assert.equal(format, 'own');
});
