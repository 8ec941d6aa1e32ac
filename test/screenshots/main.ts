/**
 * `npm run screenshots`: fills a sandbox with examples and writes pictures of the console to
 * docs/pictures. Times in them are those of the run.
 */
import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions } from 'playwright-core';
import { console_pages, openPage } from '../browser/console-pages.ts';
import { startConsoleWorld } from '../browser/console-world.ts';

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));

interface Pictures {
  readonly pages: readonly string[];
  /** What the name of a picture ends in. */
  readonly suffix: string;
  readonly context: BrowserContextOptions;
}

/** The height keeps a picture to what a person sees first. */
const laptop = { width: 1280, height: 720 };
const phone = { width: 390, height: 780 };

const pictures: readonly Pictures[] = [
  {
    pages: ['home', 'card', 'decision', 'breaks', 'item', 'bridge', 'webhook', 'imports', 'sandbox'],
    suffix: '',
    context: { viewport: laptop, colorScheme: 'light' },
  },
  { pages: ['home'], suffix: '-dark', context: { viewport: laptop, colorScheme: 'dark' } },
  { pages: ['card'], suffix: '-phone', context: { viewport: phone, colorScheme: 'light' } },
];

mkdirSync(folder, { recursive: true });
await using world = await startConsoleWorld();
for (const { pages, suffix, context } of pictures) {
  const page = await world.open('admin', { ...context, reducedMotion: 'reduce' });
  for (const name of pages) {
    const found = console_pages.find((one) => one.name === name);
    if (found === undefined) throw new Error(`the console has no page ${name}`);
    await openPage(page, world.url, found);
    const path = `${folder}${name}${suffix}.png`;
    await page.screenshot({ path });
    console.log(`docs/pictures/${name}${suffix}.png, ${Math.ceil(statSync(path).size / 1_000)} KB`);
  }
  await page.context().close();
}
