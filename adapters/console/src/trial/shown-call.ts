import { rolesOf, sandbox_keys } from '@tallystick/access';
import { type Content, html } from '../look/html.ts';
import type { Visit } from '../visit.ts';
import type { MadeCall } from './trial.ts';

/** Calls as a shell and as a program make them. */
export function shownCalls(visit: Visit, calls: readonly MadeCall[]): Content {
  return calls.map((call) => {
    const curl = curlOf(visit, call);
    return html`<div class="call"><h3>${visit.ports.calls.operations.get(call.id)?.summary ?? call.id}</h3>
${curl === null ? '' : html`<p class="quiet">In a shell</p><pre tabindex="0">${curl}</pre>`}
<p class="quiet">In a program</p><pre tabindex="0">${methodCallOf(visit, call)}</pre></div>`;
  });
}

/** The request with the sandbox's own key; null: the interface is not served beside the console. */
function curlOf(visit: Visit, { id, parameters = {}, data, options = {}, sent }: MadeCall): string | null {
  const at = visit.ports.trial?.endpointOf(id) ?? null;
  const area = visit.ports.calls.operations.get(id)?.area;
  if (at === null || area === undefined) return null;
  const [method = '', template = ''] = at.split(' ');
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    return encodeURIComponent(String((parameters as Readonly<Record<string, unknown>>)[name] ?? name));
  });
  const query = new URLSearchParams(Object.entries(options).map(([name, value]) => [name, String(value)]));
  const role = rolesOf(area).find((one) => one === 'client') ?? rolesOf(area)[0]!;
  // The interface is where the console is, without the console's own path.
  const origin = new URL(visit.request.url).origin + visit.facts.base.replace(/\/console$/, '');
  const lines = [
    `curl -X ${method} '${origin}${path}${query.size === 0 ? '' : `?${query}`}'`,
    `-H 'Authorization: Bearer ${sandbox_keys[role]}'`,
    ...(sent === undefined ? [] : [`--data-binary '@${sent.name}'`]),
    ...(data === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify({ data }))}`]),
  ];
  const curl = lines.join(' \\\n  ');
  return sent === undefined ? curl : `cat > '${sent.name}' <<'END'\n${sent.text}END\n${curl}`;
}

/** A text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The call of the library, as a host writes it. */
function methodCallOf(visit: Visit, { id, parameters = {}, data, options, sent }: MadeCall): string {
  const method = visit.ports.calls.operations.get(id)?.method ?? id;
  const object = method.replace(/^company\./, `company(${visit.company_id}).`);
  const values = [
    ...Object.values(parameters).map((value) => literal(value)),
    ...(sent === undefined ? [] : [`await readFile('${sent.name}')`]),
    ...(data === undefined ? [] : [literal(data)]),
    ...(options === undefined ? [] : [literal(options)]),
  ];
  return `await tally.${object}(${values.join(', ')});`;
}

/** A value in the words of JavaScript: `{ vcn_id: 1, merchant_name: 'Corner Grocer' }`. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([name, one]) => `${name}: ${literal(one)}`)
      .join(', ')} }`;
  }
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : String(value);
}
