/** What the console's pages do beyond links and forms. Without it they work as they are. */
const search = () => document.getElementById('search');

/** Whether the person is typing, so that a key is a letter and no command. */
const isTyping = ({ target }) => target.closest('input, textarea, select, [contenteditable]') !== null;

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (event.key === '/' && search() !== null) {
    event.preventDefault();
    search().select();
    search().focus();
  }
});

// On a narrow screen the menu is closed at first.
const menu = document.querySelector('nav.side details');
if (menu !== null && window.matchMedia('(max-width: 60rem)').matches) menu.removeAttribute('open');

// The problem of a form is read out, and is in view.
document.getElementById('problem')?.focus();
