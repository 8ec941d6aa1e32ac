import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { area_access, type PersonRole, person_roles } from '@tallystick/access';

const docs = new URL('../../../../docs/', import.meta.url);
const guide = readFileSync(new URL('console.md', docs), 'utf8');

describe('the guide of the console', () => {
  it('states what each role may do in each part, as it is permitted', () => {
    const cells = guide
      .split('\n')
      .filter((line) => line.startsWith('| ') && line.includes('`'))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const stated = cells.flatMap(([, , areas = '', ...roles]) =>
      [...areas.matchAll(/`([a-z_]+)`/g)].map(([, area]) => [area!, roles.slice(0, person_roles.length)] as const),
    );
    const permitted = Object.entries(area_access).flatMap(([area, { read, change }]) => {
      const wordOf = (role: PersonRole): string => {
        if ((change as readonly string[]).includes(role)) return 'changes';
        return (read as readonly string[]).includes(role) ? 'reads' : 'no';
      };
      const words = person_roles.map(wordOf);
      return words.every((word) => word === 'no') ? [] : [[area, words] as const];
    });
    assert.deepEqual(stated.filter(([area]) => Object.hasOwn(area_access, area)).sort(), permitted.sort());
  });

  it('shows every picture that there is, and no other', () => {
    const shown = [...guide.matchAll(/\]\((pictures\/[^)]+)\)/g)].map(([, path]) => path!);
    for (const path of shown) assert.ok(existsSync(new URL(path, docs)), path);
    const folder = new URL('pictures/', docs);
    const all = existsSync(folder) ? readdirSync(folder).map((name) => `pictures/${name}`) : [];
    assert.deepEqual(
      all.filter((path) => !shown.includes(path)),
      [],
    );
  });
});
