import { globSync } from 'node:fs';

/** Rules that are mutated together, and the tests of their packages. */
export interface Theme {
  readonly name: string;
  /** Patterns relative to the root. A file that an earlier theme has does not belong to a later one. */
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

const cards_tests = ['packages/cards/test/**/*.test.ts', 'packages/velocity/test/**/*.test.ts'];

export const themes: readonly Theme[] = [
  {
    name: 'windows',
    sources: ['packages/velocity/src/**', 'packages/cards/src/{working/working-window,settling/past-window}.ts'],
    tests: cards_tests,
  },
  {
    name: 'holds',
    sources: [
      'packages/cards/src/{working/hold,records/hold-lifetime,records/release-message,deciding/release,deciding/sweep-holds}.ts',
    ],
    tests: cards_tests,
  },
  { name: 'matching', sources: ['packages/cards/src/{matching,settling}/**'], tests: cards_tests },
  {
    name: 'decisions',
    sources: [
      'packages/cards/src/{deciding,records,working}/**',
      'packages/cards/src/issuing/{available-balance,card,code-failures,controls,update-card}.ts',
    ],
    tests: cards_tests,
  },
  { name: 'consents', sources: ['packages/consents/src/**'], tests: ['packages/consents/test/**/*.test.ts'] },
  { name: 'imports', sources: ['packages/imports/src/**'], tests: ['packages/imports/test/**/*.test.ts'] },
  {
    name: 'reconciliation',
    sources: ['packages/reconciliation/src/**'],
    tests: ['packages/reconciliation/test/**/*.test.ts'],
  },
  {
    name: 'signature',
    sources: ['packages/webhook-signature/src/**'],
    tests: ['packages/webhook-signature/test/**/*.test.ts'],
  },
];

/** The source files of each theme, relative to the root. */
export function sourcesByTheme(root: string, of: readonly Theme[] = themes): ReadonlyMap<Theme, readonly string[]> {
  const taken = new Set<string>();
  return new Map(
    of.map((theme) => {
      const files = filesOf(root, theme.sources).filter((path) => path.endsWith('.ts') && !taken.has(path));
      for (const path of files) taken.add(path);
      return [theme, files];
    }),
  );
}

export function testsOf(root: string, { tests }: Theme): readonly string[] {
  return filesOf(root, tests);
}

function filesOf(root: string, patterns: readonly string[]): readonly string[] {
  return globSync([...patterns], { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}
