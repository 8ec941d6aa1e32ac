import type { Invariant, Step } from './invariant.ts';

/** Whether a person released it as it was, so that it need not tie out. */
function isReleased({ state }: Step, import_id: number | null): boolean {
  return (state.imports.get(import_id ?? 0)?.note ?? null) !== null;
}

export const statements_tie_out: Invariant = {
  name: 'statements tie out',
  says: 'the lines of a statement lead from its opening to its closing balance, and the next one opens there',
  begin() {
    const sums = new Map<number, number>();
    return {
      *step(step) {
        for (const { before, after } of step.changes('statement_lines')) {
          const add = (statement_id: number | null | undefined, amount: number) => {
            if (statement_id != null) sums.set(statement_id, (sums.get(statement_id) ?? 0) + amount);
          };
          if (before !== undefined) add(before.statement_id, -before.amount);
          if (after !== undefined) add(after.statement_id, after.amount);
        }
        for (const { key, before, after } of step.changes('statements')) {
          if (before !== undefined && after === undefined) yield `statement ${key} is gone`;
          for (const name of ['opening_balance', 'closing_balance', 'as_of', 'account_id'] as const) {
            if (before !== undefined && after !== undefined && before[name] !== after[name]) {
              yield `statement ${key}: ${name} changed`;
            }
          }
        }
        for (const { key, before, after } of step.changes('imports')) {
          const is_finished = before?.status === 'running' && after?.status.startsWith('completed') === true;
          if (is_finished) yield* tied(step, sums, (import_id) => import_id === key);
        }
      },
      *end(step) {
        yield* tied(step, sums, () => true);
        const by_account = Map.groupBy(step.state.statements.values(), ({ account_id }) => account_id);
        for (const [account_id, statements] of by_account) {
          const chain = statements.toSorted((a, b) =>
            a.as_of === b.as_of ? a.position - b.position : a.as_of < b.as_of ? -1 : 1,
          );
          for (const [at, next] of chain.entries()) {
            const previous = chain[at - 1];
            if (previous === undefined || isReleased(step, next.import_id) || isReleased(step, previous.import_id))
              continue;
            if (previous.closing_balance !== next.opening_balance) {
              yield `account ${account_id}: statement ${next.id} opens with ${next.opening_balance}, and ${previous.id} closes with ${previous.closing_balance}`;
            }
          }
        }
      },
    };
  },
};

function* tied(
  step: Step,
  sums: ReadonlyMap<number, number>,
  isWanted: (import_id: number | null) => boolean,
): Iterable<string> {
  for (const { id, import_id, opening_balance, closing_balance } of step.state.statements.values()) {
    if (!isWanted(import_id) || isReleased(step, import_id)) continue;
    const led = opening_balance + (sums.get(id) ?? 0);
    if (led !== closing_balance)
      yield `statement ${id}: its lines lead to ${led}, and it closes with ${closing_balance}`;
  }
}

export const each_line_is_booked_once: Invariant = {
  name: 'each line is booked once',
  says: 'a line has one place in one statement, and only lines that a bank wrote are recorded',
  begin() {
    const places = new Map<string, number>();
    return {
      *step(step) {
        for (const { key, before, after } of step.changes('statement_lines')) {
          if (after === undefined) {
            yield `line ${key} is gone`;
            continue;
          }
          if (before !== undefined && (before.amount !== after.amount || before.booking_date !== after.booking_date)) {
            yield `line ${key} changed`;
          }
          if (after.statement_id === null) continue;
          const place = `${after.statement_id} ${after.place}`;
          const other = places.get(place);
          if (other !== undefined && other !== key)
            yield `lines ${other} and ${key} have place ${after.place} of one statement`;
          places.set(place, key);
        }
      },
      *end({ state, history }) {
        if (history.bank_statements.length === 0) return;
        const written = new Map<string, number>();
        const nameOf = (account: string, line: { booking_date: string; amount: number; bai_code: string }) =>
          [account, line.booking_date, line.amount, line.bai_code].join(' ');
        for (const { account_number, lines } of history.bank_statements) {
          for (const line of lines) {
            const name = nameOf(account_number, line);
            written.set(name, (written.get(name) ?? 0) + 1);
          }
        }
        for (const line of state.statement_lines.values()) {
          const account = state.accounts.get(line.account_id)?.number ?? '';
          if (line.statement_id === null) continue;
          const name = nameOf(account, line);
          const left = (written.get(name) ?? 0) - 1;
          written.set(name, left);
          if (left === -1) yield `the bank did not write this line as often as it is recorded: ${name}`;
        }
      },
    };
  },
};

export const truncated_files_apply_nothing: Invariant = {
  name: 'truncated files apply nothing',
  says: 'a refused, held or truncated file has no effect, and a file counts what it applied',
  begin: () => ({
    *step(step) {
      for (const { key, after } of step.changes('imports')) {
        if (after === undefined) continue;
        const { status, applied, duplicates, quarantined, records, name } = after;
        if (['held', 'refused', 'truncated'].includes(status) && applied + duplicates > 0) {
          yield `import ${key} is ${status}, and applied ${applied} records`;
        }
        if (applied + duplicates + quarantined > records) {
          yield `import ${key} has ${records} records, and counts ${applied + duplicates + quarantined}`;
        }
        const file = step.history.files.findLast((one) => one.name === name);
        if (file?.is_truncated === true && status.startsWith('completed'))
          yield `import ${key} of a cut file is ${status}`;
      }
    },
  }),
};

export const files_are_applied_whole: Invariant = {
  name: 'files are applied whole',
  says: 'each clearing of a completed file is recorded once, whatever else reports it, or in quarantine',
  begin() {
    const recorded = new Set<string>();
    const by_reference = new Map<string, number>();
    return {
      *step(step) {
        for (const { key, after } of step.changes('clearings')) {
          if (after === undefined) continue;
          recorded.add(after.network_financial_transaction_id);
          if (after.paired_transaction_id !== null) recorded.add(after.paired_transaction_id);
          const reference = after.acquirer_reference_data;
          if (reference === null || step.history.files.length === 0) continue;
          const other = by_reference.get(reference) ?? key;
          if (other !== key) yield `clearings ${other} and ${key} have one acquirer reference: ${reference}`;
          by_reference.set(reference, key);
        }
      },
      *end({ state, history }) {
        const kept = new Set(
          state.quarantine.values().map(({ excerpt }) => excerpt.network_financial_transaction_id as string),
        );
        const completed = new Set(
          state.imports.values().flatMap(({ name, status }) => (status.startsWith('completed') ? [name] : [])),
        );
        for (const { name, format, transaction_ids, is_truncated } of history.files) {
          // An IPM file has no transaction ids.
          if (format === 'ipm' || is_truncated || !completed.has(name)) continue;
          for (const id of transaction_ids) {
            if (!recorded.has(id) && !kept.has(id)) yield `${name} is completed, and its clearing ${id} is nowhere`;
          }
        }
      },
    };
  },
};
