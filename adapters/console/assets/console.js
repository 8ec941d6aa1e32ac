/** What the console's pages do beyond links and forms. Without it they work as they are. */
const search = () => document.getElementById('search');

/** Whether the person is typing, so that a key is a letter and no command. */
const isTyping = ({ target }) =>
  target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]') !== null;

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (event.key === '/' && search() !== null) {
    event.preventDefault();
    search().select();
    search().focus();
  }
});

// On a narrow screen the menu is closed at first. On a wide one it is always open.
const menu = document.querySelector('nav.side details');
const narrow = window.matchMedia('(max-width: 60rem)');
const setMenu = () => menu?.toggleAttribute('open', !narrow.matches);
narrow.addEventListener('change', setMenu);
setMenu();

// A second click on a button sends nothing again: what the first one has sent is on its way.
document.addEventListener('submit', (event) => {
  const { target } = event;
  if (event.defaultPrevented || target.method !== 'post') return;
  if (target.dataset.sent !== undefined) event.preventDefault();
  target.dataset.sent = '';
});
// A page to which somebody goes back may send the same once more, on purpose: with another id.
window.addEventListener('pageshow', ({ persisted }) => {
  const bytes = crypto.getRandomValues(new Uint8Array(11));
  const id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  for (const form of document.forms) {
    delete form.dataset.sent;
    const token = form.elements.form_token;
    if (persisted && token !== undefined) token.value = id + token.value.slice(id.length);
  }
});

// What was done or refused is read out, is in view, and Tab goes on from there.
document.querySelector('#problem, .notice')?.focus();

// A queue is worked by keys: the row in which the focus is, is the current one.
const queue = document.querySelector('.queue');
const rows = () => [...(queue?.querySelectorAll('tbody tr') ?? [])];
const current = () => document.activeElement?.closest('.queue tbody tr') ?? null;
const enter = (row) => row?.querySelector('a')?.focus();

document.addEventListener('keydown', (event) => {
  if (queue === null || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  const all = rows();
  const at = all.indexOf(current());
  if (event.key === 'j') enter(all[Math.min(at + 1, all.length - 1)]);
  else if (event.key === 'k') enter(all[Math.max(at - 1, 0)]);
  else {
    const element = current()?.querySelector(`[data-key="${CSS.escape(event.key)}"]`) ?? null;
    if (element === null) return;
    event.preventDefault();
    element.click();
  }
});

/** The button whose act waits for its note. */
let intended = null;

const note = queue?.querySelector('[name="note"]');
note?.addEventListener('keydown', (event) => {
  if (intended === null || !['Enter', 'Escape'].includes(event.key)) return;
  event.preventDefault();
  if (event.key === 'Enter') intended.click();
  else enter(intended.closest('tr'));
});
// Who leaves the note has changed their mind, but not who only looks at another window.
note?.addEventListener('blur', () => {
  if (document.activeElement === note) return;
  intended = null;
  note.placeholder = '';
});

// An act on a row waits for its note. After it the next row is at the place of the one that has gone.
queue?.addEventListener('submit', (event) => {
  const { submitter } = event;
  const at = rows().indexOf(submitter?.closest('tr'));
  if (at < 0) return;
  if (note.value.trim() === '') {
    event.preventDefault();
    intended = submitter;
    note.placeholder = `Why? Enter: ${submitter.textContent}`;
    note.focus();
  } else sessionStorage.setItem('queue row', String(at));
});
const kept = sessionStorage.getItem('queue row');
if (queue !== null && kept !== null) {
  sessionStorage.removeItem('queue row');
  if (document.getElementById('problem') === null) enter(rows()[Math.min(Number(kept), rows().length - 1)]);
}

// The secret of a portal link is behind the # of its address. It is sent, and leaves the address.
const portal = document.getElementById('portal-code');
if (portal !== null && location.hash.length > 1) {
  portal.querySelector('input').value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  portal.submit();
}

// What is new in the company of the page. A hidden page does not listen: browsers have few
// connections to one server.
const news_url = document.querySelector('main[data-news-from]')?.dataset.newsFrom;
const unseen = new Map();
let news = null;
/** The last event that the page has heard of. */
let heard;

/** Whether somebody works in the part, so that it must not change. */
const isInUse = (part) =>
  part.dataset.typed !== undefined ||
  part.contains(document.activeElement) ||
  part.querySelector('details[open]') !== null;

document.addEventListener('input', ({ target }) => {
  const part = target.closest('[hx-get]');
  if (part !== null) part.dataset.typed = '';
});

// A part is asked for again later.
document.addEventListener('htmx:beforeRequest', (event) => {
  if (document.hidden || isInUse(event.target)) event.preventDefault();
});

/** Parts that are fetched again soon. Much news in a short time is one reason to do so. */
const due = new Set();

function fetchSoon(name) {
  if (due.has(name)) return;
  due.add(name);
  setTimeout(() => {
    due.delete(name);
    for (const part of document.querySelectorAll(`[data-live="${name}"]`)) window.htmx?.trigger(part, 'live');
  }, 2_000);
}

function showNews(name, ids) {
  if (document.querySelector(`[data-live="${name}"]`) !== null) fetchSoon(name);
  for (const line of document.querySelectorAll(`[data-news="${name}"]`)) {
    const count = (unseen.get(name) ?? 0) + ids.length;
    unseen.set(name, count);
    const link = document.createElement('a');
    const first_page = new URL(location.href);
    first_page.searchParams.delete('after');
    link.href = first_page.href;
    link.textContent = 'show';
    line.replaceChildren(`${count} new ${name}${count === 1 ? '' : 's'}: `, link);
  }
}

function listen() {
  if (document.hidden) {
    news?.close();
    news = null;
    return;
  }
  if (news !== null) return;
  news = new EventSource(heard === undefined ? news_url : `${news_url}?after=${heard}`);
  news.addEventListener('at', ({ lastEventId }) => {
    heard ??= lastEventId;
  });
  news.addEventListener('news', ({ data, lastEventId }) => {
    heard = lastEventId;
    for (const [name, ids] of Object.entries(JSON.parse(data))) showNews(name, ids);
  });
  // The browser asks again by itself after a broken connection, and not after another answer: that
  // of a proxy whose server starts, or of a server that has too many open pages.
  news.addEventListener('error', ({ target }) => {
    if (target.readyState !== EventSource.CLOSED) return;
    if (news === target) news = null;
    setTimeout(listen, 15_000);
  });
}

if (news_url !== undefined) {
  document.addEventListener('visibilitychange', listen);
  listen();
}

// Files are sent by the script: their beginnings, to see what they are, and then each as a whole, which
// shows how far it is. Without it a form sends one file twice.
const sendFile = (form, name, body, onProgress) =>
  new Promise((resolve, reject) => {
    const chosen = [...new FormData(form)].filter(
      ([field, value]) => field !== 'form_token' && typeof value === 'string',
    );
    const request = new XMLHttpRequest();
    request.open('POST', `${form.action}?${new URLSearchParams([...chosen, ['name', name]])}`);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.setRequestHeader('X-Form-Token', form.elements.form_token.value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / Math.max(1, total));
    request.onload = () => (request.status < 300 ? resolve(request) : reject(new Error(request.responseText)));
    request.onerror = () => reject(new Error('The connection broke. Nothing of the file was applied.'));
    request.send(body);
  });

/** Sends the file that a preview is about. Alone it leads to its import. */
const importFile = async (form, file) => {
  const [progress, state, button] = ['progress', '[role=status]', 'button'].map((one) => form.querySelector(one));
  progress.hidden = false;
  button.disabled = true;
  state.textContent = `Sending ${file.name}`;
  try {
    const request = await sendFile(form, file.name, file, (part) => {
      progress.value = part;
      if (part === 1) state.textContent = `Checking ${file.name}`;
    });
    const to = request.getResponseHeader('Location');
    if (document.querySelectorAll('form[data-upload]').length === 1) return location.assign(to);
    const link = document.createElement('a');
    link.href = to;
    link.textContent = `${file.name} has arrived`;
    form.replaceWith(link);
  } catch (error) {
    state.textContent = error.message;
    progress.hidden = true;
    button.disabled = false;
  }
};

/** Shows what the chosen files are. */
const previewFiles = async (form) => {
  const previews = document.getElementById('previews');
  const [state, button] = ['[role=status]', 'button'].map((one) => form.querySelector(one));
  previews.replaceChildren();
  button.disabled = true;
  try {
    for (const file of form.elements.file.files) {
      state.textContent = `Reading ${file.name}`;
      const beginning = file.slice(0, Number(form.dataset.preview));
      const { responseText } = await sendFile(form, file.name, beginning, () => {});
      const preview = new DOMParser().parseFromString(responseText, 'text/html').querySelector('.preview');
      previews.append(preview);
      const confirm = preview.querySelector('form');
      confirm?.querySelector('.drop').remove();
      confirm?.addEventListener('submit', (event) => {
        event.preventDefault();
        importFile(confirm, file);
      });
    }
    state.textContent = '';
    previews.scrollIntoView({ block: 'nearest' });
  } catch (error) {
    state.textContent = error.message;
  }
  button.disabled = false;
  // What comes next is to import.
  button.classList.toggle('second', previews.querySelector('form') !== null);
};

for (const form of document.querySelectorAll('form[data-preview]')) {
  const { file } = form.elements;
  file.multiple = true;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    previewFiles(form);
  });
  for (const name of ['dragenter', 'dragover', 'dragleave', 'drop']) {
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.toggle('over', name === 'dragenter' || name === 'dragover');
    });
  }
  form.addEventListener('drop', ({ dataTransfer }) => {
    if (dataTransfer.files.length === 0) return;
    file.files = dataTransfer.files;
    previewFiles(form);
  });
}
