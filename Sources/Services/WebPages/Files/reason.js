// What stands behind a figure, one tap away.

/**
 * Has `button` show and hide what `make` makes; behind the element `after` where there is one.
 */
export function why(button, make, after) {
  let shown = null;
  button.setAttribute('aria-expanded', 'false');
  button.addEventListener('click', () => {
    if (shown) shown.remove();
    shown = shown ? null : make();
    if (shown && after) after.after(shown);
    button.setAttribute('aria-expanded', shown ? 'true' : 'false');
  });
}
