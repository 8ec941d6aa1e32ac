const characters: Readonly<Record<string, string>> = {
  '&#39;': "'",
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

/** The text of an attribute or an element that has no others in it. */
export function unescapeHtml(html: string): string {
  return html.replace(/&(?:#39|quot|lt|gt|amp);/g, (escaped) => characters[escaped]!);
}

/** The words of a page, without the markup. */
export function htmlText(html: string): string {
  const words = html.replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '').replace(/<[^>]+>/g, ' ');
  return unescapeHtml(words).replace(/\s+/g, ' ').trim();
}
