/** What publint and arethetypeswrong say of the tarballs. */
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import type { PackedPackage } from './packing.ts';

/** Hosts import modules: `require` without types for it and TypeScript's old resolution are not served. */
const unserved_resolutions: ReadonlySet<string> = new Set(['node10', 'node16-cjs']);

/** Returns everything that publint suggests, warns of or rejects, and every wrong type. */
export async function lintTarball({ manifest, tarball }: PackedPackage): Promise<readonly string[]> {
  const data = readFileSync(tarball);
  const { messages, pkg } = await publint({ pack: { tarball: Uint8Array.from(data).buffer }, level: 'suggestion' });
  const result = await checkPackage(createPackageFromTarballData(data));
  const problems = result.types === false ? [] : result.problems.filter(isServed);
  return [
    ...messages.map((message) => `${manifest.name}: publint: ${formatMessage(message, pkg) ?? message.code}`),
    ...(result.types === false ? [`${manifest.name}: arethetypeswrong: finds no types`] : []),
    ...problems.map((problem) => `${manifest.name}: arethetypeswrong: ${JSON.stringify(problem)}`),
  ];
}

function isServed(problem: Problem): boolean {
  if ('resolutionKind' in problem) return !unserved_resolutions.has(problem.resolutionKind);
  if ('resolutionOption' in problem) return !unserved_resolutions.has(problem.resolutionOption);
  return true;
}
