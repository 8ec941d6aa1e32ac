import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { permissions } from '@tallystick/consents';
import { escapeHtml } from '../src/pages/layout.ts';
import { instantText, permission_wording } from '../src/pages/wording.ts';

describe('the words of the pages', () => {
  it('say every permission in its own words', () => {
    const words = permissions.map((permission) => permission_wording[permission]);
    assert.equal(new Set(words).size, permissions.length);
    for (const text of words) assert.doesNotMatch(text, /Read|[a-z][A-Z]/);
  });

  it('show instants in UTC', () => {
    assert.equal(instantText(Date.UTC(2026, 10, 24, 23, 59)), '24 November 2026 at 23:59 UTC');
  });

  it('escape what could be read as HTML', () => {
    assert.equal(
      escapeHtml(`<a href="x" title='y'>&</a>`),
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;',
    );
  });
});
