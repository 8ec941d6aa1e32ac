import os from 'node:os';
import type { Row, Target } from './measure.ts';

/** The rows as a table for people: work, ours, baseline, ratio, target, verdict. */
export function table(rows: readonly Row[]): string {
  const lines = [['what', 'ours', 'baseline', 'unit', 'ratio', 'target', '']];
  for (const row of rows) {
    lines.push([
      row.name,
      figure(row.ours),
      `${figure(row.baseline)} ${row.baseline_name}`,
      row.unit,
      row.ratio.toFixed(2),
      target(row.target),
      row.ok === null ? '' : row.ok ? 'ok' : 'MISSED',
    ]);
  }
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const notes = rows.filter((row) => row.note !== null).map((row) => `- ${row.name}: ${row.note}`);
  return [...text, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

/** The machine and the versions to which the figures apply. */
export function machine(): Record<string, string | number> {
  return {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.cpus().length,
    memory_gib: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
  };
}

function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}

function target(value: Target | null): string {
  if (value === null) return '-';
  return `${value.kind === 'at_least' ? '>=' : '<='} ${value.ratio}`;
}
